// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.v1.AgentThread;
import dev.heddle.v1.ArchiveThreadRequest;
import dev.heddle.v1.ArchiveThreadResponse;
import dev.heddle.v1.CompactThreadRequest;
import dev.heddle.v1.CompactThreadResponse;
import dev.heddle.v1.DeleteThreadRequest;
import dev.heddle.v1.DeleteThreadResponse;
import dev.heddle.v1.ExportThreadRequest;
import dev.heddle.v1.ExportThreadResponse;
import dev.heddle.v1.ForkThreadRequest;
import dev.heddle.v1.ForkThreadResponse;
import dev.heddle.v1.InjectItemsRequest;
import dev.heddle.v1.InjectItemsResponse;
import dev.heddle.v1.ListItemsRequest;
import dev.heddle.v1.ListItemsResponse;
import dev.heddle.v1.ListLoadedThreadsRequest;
import dev.heddle.v1.ListLoadedThreadsResponse;
import dev.heddle.v1.ListThreadsRequest;
import dev.heddle.v1.ListThreadsResponse;
import dev.heddle.v1.ListTurnsRequest;
import dev.heddle.v1.ListTurnsResponse;
import dev.heddle.v1.ListedItem;
import dev.heddle.v1.ReadThreadRequest;
import dev.heddle.v1.ReadThreadResponse;
import dev.heddle.v1.ResumeThreadRequest;
import dev.heddle.v1.ResumeThreadResponse;
import dev.heddle.v1.RollbackThreadRequest;
import dev.heddle.v1.RollbackThreadResponse;
import dev.heddle.v1.SearchHit;
import dev.heddle.v1.SearchThreadsRequest;
import dev.heddle.v1.SearchThreadsResponse;
import dev.heddle.v1.SetThreadNameRequest;
import dev.heddle.v1.SetThreadNameResponse;
import dev.heddle.v1.StartThreadRequest;
import dev.heddle.v1.StartThreadResponse;
import dev.heddle.v1.Turn;
import dev.heddle.v1.UnarchiveThreadRequest;
import dev.heddle.v1.UnarchiveThreadResponse;
import java.util.concurrent.CompletableFuture;

/** The methods of ThreadService. */
public final class ThreadsService {
  private final Calls calls;

  ThreadsService(Calls calls) {
    this.calls = calls;
  }

  /** Starts a thread. On a frame connection, its events follow on the same stream. */
  public StartThreadResponse start(StartThreadRequest request) {
    return start(request, CallOptions.none());
  }

  /** Starts a thread. On a frame connection, its events follow on the same stream. */
  public StartThreadResponse start(StartThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_START, request, StartThreadResponse.parser(), options);
  }

  /** The same as `start`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<StartThreadResponse> startAsync(StartThreadRequest request) {
    return startAsync(request, CallOptions.none());
  }

  /** The same as `start`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<StartThreadResponse> startAsync(StartThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_START, request, StartThreadResponse.parser(), options);
  }

  /** Loads a thread. On a frame connection, its events follow on the same stream. */
  public ResumeThreadResponse resume(ResumeThreadRequest request) {
    return resume(request, CallOptions.none());
  }

  /** Loads a thread. On a frame connection, its events follow on the same stream. */
  public ResumeThreadResponse resume(ResumeThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_RESUME, request, ResumeThreadResponse.parser(), options);
  }

  /** The same as `resume`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ResumeThreadResponse> resumeAsync(ResumeThreadRequest request) {
    return resumeAsync(request, CallOptions.none());
  }

  /** The same as `resume`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ResumeThreadResponse> resumeAsync(ResumeThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_RESUME, request, ResumeThreadResponse.parser(), options);
  }

  /**
   * Creates a thread that shares another thread's history. On a frame connection, its events follow on the same
   * stream.
   */
  public ForkThreadResponse fork(ForkThreadRequest request) {
    return fork(request, CallOptions.none());
  }

  /**
   * Creates a thread that shares another thread's history. On a frame connection, its events follow on the same
   * stream.
   */
  public ForkThreadResponse fork(ForkThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_FORK, request, ForkThreadResponse.parser(), options);
  }

  /** The same as `fork`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ForkThreadResponse> forkAsync(ForkThreadRequest request) {
    return forkAsync(request, CallOptions.none());
  }

  /** The same as `fork`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ForkThreadResponse> forkAsync(ForkThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_FORK, request, ForkThreadResponse.parser(), options);
  }

  /** Reads a thread without loading it. */
  public ReadThreadResponse read(ReadThreadRequest request) {
    return read(request, CallOptions.none());
  }

  /** Reads a thread without loading it. */
  public ReadThreadResponse read(ReadThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_READ, request, ReadThreadResponse.parser(), options);
  }

  /** The same as `read`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ReadThreadResponse> readAsync(ReadThreadRequest request) {
    return readAsync(request, CallOptions.none());
  }

  /** The same as `read`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ReadThreadResponse> readAsync(ReadThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_READ, request, ReadThreadResponse.parser(), options);
  }

  /** Lists threads, page by page. */
  public ListThreadsResponse list(ListThreadsRequest request) {
    return list(request, CallOptions.none());
  }

  /** Lists threads, page by page. */
  public ListThreadsResponse list(ListThreadsRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_LIST, request, ListThreadsResponse.parser(), options);
  }

  /** The same as `list`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListThreadsResponse> listAsync(ListThreadsRequest request) {
    return listAsync(request, CallOptions.none());
  }

  /** The same as `list`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListThreadsResponse> listAsync(ListThreadsRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_LIST, request, ListThreadsResponse.parser(), options);
  }

  /** The threads of all pages. */
  public Pages<AgentThread> eachList(ListThreadsRequest request) {
    return new Pages<>(cursor -> {
      var answer = list(cursor.isEmpty() ? request : request.toBuilder().setCursor(cursor).build());
      return new Pages.Page<>(answer.getThreadsList(), answer.getNextCursor());
    });
  }

  /** Lists the threads that are loaded on this node, page by page. */
  public ListLoadedThreadsResponse listLoaded(ListLoadedThreadsRequest request) {
    return listLoaded(request, CallOptions.none());
  }

  /** Lists the threads that are loaded on this node, page by page. */
  public ListLoadedThreadsResponse listLoaded(ListLoadedThreadsRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_LIST_LOADED, request, ListLoadedThreadsResponse.parser(), options);
  }

  /** The same as `listLoaded`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListLoadedThreadsResponse> listLoadedAsync(ListLoadedThreadsRequest request) {
    return listLoadedAsync(request, CallOptions.none());
  }

  /** The same as `listLoaded`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListLoadedThreadsResponse> listLoadedAsync(ListLoadedThreadsRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_LIST_LOADED, request, ListLoadedThreadsResponse.parser(), options);
  }

  /** The threads of all pages. */
  public Pages<ByteString> eachListLoaded(ListLoadedThreadsRequest request) {
    return new Pages<>(cursor -> {
      var answer = listLoaded(cursor.isEmpty() ? request : request.toBuilder().setCursor(cursor).build());
      return new Pages.Page<>(answer.getThreadsList(), answer.getNextCursor());
    });
  }

  /** Finds text in items. Not built yet. */
  public SearchThreadsResponse search(SearchThreadsRequest request) {
    return search(request, CallOptions.none());
  }

  /** Finds text in items. Not built yet. */
  public SearchThreadsResponse search(SearchThreadsRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_SEARCH, request, SearchThreadsResponse.parser(), options);
  }

  /** The same as `search`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<SearchThreadsResponse> searchAsync(SearchThreadsRequest request) {
    return searchAsync(request, CallOptions.none());
  }

  /** The same as `search`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<SearchThreadsResponse> searchAsync(SearchThreadsRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_SEARCH, request, SearchThreadsResponse.parser(), options);
  }

  /** The hits of all pages. */
  public Pages<SearchHit> eachSearch(SearchThreadsRequest request) {
    return new Pages<>(cursor -> {
      var answer = search(cursor.isEmpty() ? request : request.toBuilder().setCursor(cursor).build());
      return new Pages.Page<>(answer.getHitsList(), answer.getNextCursor());
    });
  }

  /** Lists the turns of a thread, page by page. */
  public ListTurnsResponse listTurns(ListTurnsRequest request) {
    return listTurns(request, CallOptions.none());
  }

  /** Lists the turns of a thread, page by page. */
  public ListTurnsResponse listTurns(ListTurnsRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_LIST_TURNS, request, ListTurnsResponse.parser(), options);
  }

  /** The same as `listTurns`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListTurnsResponse> listTurnsAsync(ListTurnsRequest request) {
    return listTurnsAsync(request, CallOptions.none());
  }

  /** The same as `listTurns`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListTurnsResponse> listTurnsAsync(ListTurnsRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_LIST_TURNS, request, ListTurnsResponse.parser(), options);
  }

  /** The turns of all pages. */
  public Pages<Turn> eachListTurns(ListTurnsRequest request) {
    return new Pages<>(cursor -> {
      var answer = listTurns(cursor.isEmpty() ? request : request.toBuilder().setCursor(cursor).build());
      return new Pages.Page<>(answer.getTurnsList(), answer.getNextCursor());
    });
  }

  /** Lists the items of a thread, page by page. */
  public ListItemsResponse listItems(ListItemsRequest request) {
    return listItems(request, CallOptions.none());
  }

  /** Lists the items of a thread, page by page. */
  public ListItemsResponse listItems(ListItemsRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_LIST_ITEMS, request, ListItemsResponse.parser(), options);
  }

  /** The same as `listItems`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListItemsResponse> listItemsAsync(ListItemsRequest request) {
    return listItemsAsync(request, CallOptions.none());
  }

  /** The same as `listItems`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListItemsResponse> listItemsAsync(ListItemsRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_LIST_ITEMS, request, ListItemsResponse.parser(), options);
  }

  /** The items of all pages. */
  public Pages<ListedItem> eachListItems(ListItemsRequest request) {
    return new Pages<>(cursor -> {
      var answer = listItems(cursor.isEmpty() ? request : request.toBuilder().setCursor(cursor).build());
      return new Pages.Page<>(answer.getItemsList(), answer.getNextCursor());
    });
  }

  /** Names a thread. */
  public SetThreadNameResponse setName(SetThreadNameRequest request) {
    return setName(request, CallOptions.none());
  }

  /** Names a thread. */
  public SetThreadNameResponse setName(SetThreadNameRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_SET_NAME, request, SetThreadNameResponse.parser(), options);
  }

  /** The same as `setName`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<SetThreadNameResponse> setNameAsync(SetThreadNameRequest request) {
    return setNameAsync(request, CallOptions.none());
  }

  /** The same as `setName`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<SetThreadNameResponse> setNameAsync(SetThreadNameRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_SET_NAME, request, SetThreadNameResponse.parser(), options);
  }

  /** Archives a thread and its tree. */
  public ArchiveThreadResponse archive(ArchiveThreadRequest request) {
    return archive(request, CallOptions.none());
  }

  /** Archives a thread and its tree. */
  public ArchiveThreadResponse archive(ArchiveThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_ARCHIVE, request, ArchiveThreadResponse.parser(), options);
  }

  /** The same as `archive`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ArchiveThreadResponse> archiveAsync(ArchiveThreadRequest request) {
    return archiveAsync(request, CallOptions.none());
  }

  /** The same as `archive`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ArchiveThreadResponse> archiveAsync(ArchiveThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_ARCHIVE, request, ArchiveThreadResponse.parser(), options);
  }

  /** Unarchives a thread and its tree. */
  public UnarchiveThreadResponse unarchive(UnarchiveThreadRequest request) {
    return unarchive(request, CallOptions.none());
  }

  /** Unarchives a thread and its tree. */
  public UnarchiveThreadResponse unarchive(UnarchiveThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_UNARCHIVE, request, UnarchiveThreadResponse.parser(), options);
  }

  /** The same as `unarchive`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<UnarchiveThreadResponse> unarchiveAsync(UnarchiveThreadRequest request) {
    return unarchiveAsync(request, CallOptions.none());
  }

  /** The same as `unarchive`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<UnarchiveThreadResponse> unarchiveAsync(UnarchiveThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_UNARCHIVE, request, UnarchiveThreadResponse.parser(), options);
  }

  /** Deletes a thread and its tree. */
  public DeleteThreadResponse delete(DeleteThreadRequest request) {
    return delete(request, CallOptions.none());
  }

  /** Deletes a thread and its tree. */
  public DeleteThreadResponse delete(DeleteThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_DELETE, request, DeleteThreadResponse.parser(), options);
  }

  /** The same as `delete`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<DeleteThreadResponse> deleteAsync(DeleteThreadRequest request) {
    return deleteAsync(request, CallOptions.none());
  }

  /** The same as `delete`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<DeleteThreadResponse> deleteAsync(DeleteThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_DELETE, request, DeleteThreadResponse.parser(), options);
  }

  /** Removes the last turns from the context and the turn list. */
  public RollbackThreadResponse rollback(RollbackThreadRequest request) {
    return rollback(request, CallOptions.none());
  }

  /** Removes the last turns from the context and the turn list. */
  public RollbackThreadResponse rollback(RollbackThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_ROLLBACK, request, RollbackThreadResponse.parser(), options);
  }

  /** The same as `rollback`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<RollbackThreadResponse> rollbackAsync(RollbackThreadRequest request) {
    return rollbackAsync(request, CallOptions.none());
  }

  /** The same as `rollback`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<RollbackThreadResponse> rollbackAsync(RollbackThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_ROLLBACK, request, RollbackThreadResponse.parser(), options);
  }

  /** Replaces the context with a summary. */
  public CompactThreadResponse compact(CompactThreadRequest request) {
    return compact(request, CallOptions.none());
  }

  /** Replaces the context with a summary. */
  public CompactThreadResponse compact(CompactThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_COMPACT, request, CompactThreadResponse.parser(), options);
  }

  /** The same as `compact`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<CompactThreadResponse> compactAsync(CompactThreadRequest request) {
    return compactAsync(request, CallOptions.none());
  }

  /** The same as `compact`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<CompactThreadResponse> compactAsync(CompactThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_COMPACT, request, CompactThreadResponse.parser(), options);
  }

  /** Adds items to the history without a turn. Not built yet. */
  public InjectItemsResponse injectItems(InjectItemsRequest request) {
    return injectItems(request, CallOptions.none());
  }

  /** Adds items to the history without a turn. Not built yet. */
  public InjectItemsResponse injectItems(InjectItemsRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_INJECT_ITEMS, request, InjectItemsResponse.parser(), options);
  }

  /** The same as `injectItems`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<InjectItemsResponse> injectItemsAsync(InjectItemsRequest request) {
    return injectItemsAsync(request, CallOptions.none());
  }

  /** The same as `injectItems`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<InjectItemsResponse> injectItemsAsync(InjectItemsRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_INJECT_ITEMS, request, InjectItemsResponse.parser(), options);
  }

  /** Reads a thread's stored events. Not built yet. */
  public ExportThreadResponse export(ExportThreadRequest request) {
    return export(request, CallOptions.none());
  }

  /** Reads a thread's stored events. Not built yet. */
  public ExportThreadResponse export(ExportThreadRequest request, CallOptions options) {
    return calls.invoke(Methods.THREAD_EXPORT, request, ExportThreadResponse.parser(), options);
  }

  /** The same as `export`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ExportThreadResponse> exportAsync(ExportThreadRequest request) {
    return exportAsync(request, CallOptions.none());
  }

  /** The same as `export`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ExportThreadResponse> exportAsync(ExportThreadRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.THREAD_EXPORT, request, ExportThreadResponse.parser(), options);
  }
}
