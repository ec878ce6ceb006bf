"""Made by `make generate` from proto/; edit that instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from heddle._generated import services
from heddle._service import Id, SyncService
from heddle.v1 import agent_pb2, catalog_pb2, client_pb2, frame_pb2, item_pb2, server_pb2, settings_pb2, thread_pb2, turn_pb2


class ThreadsService(SyncService[services.ThreadsService]):
    """The methods of ThreadService: `client.threads`."""

    def start(
        self, request: thread_pb2.StartThreadRequest | None = None, *,
        settings: settings_pb2.SettingsChange | Mapping[str, Any] | None = None,
        name: str | None = None,
        ephemeral: bool | None = None,
        tools: Iterable[settings_pb2.ToolDefinition | Mapping[str, Any]] | None = None,
        asks_user: bool | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.StartThreadResponse:
        """Starts a thread. On a frame connection, its events follow on the same stream.

        settings: Settings that differ from the server's defaults.
        name: Its name.
        ephemeral: Make the thread ephemeral: it is lost when the server ends, or when it has not been used for
            some time (durability.md).
        tools: Tools that this client provides (rules.md A9).
        asks_user: Let the model ask the client's user questions; it gets the tool `request_user_input`.
        """
        return self._run(self._inner.start(
            request, settings=settings, name=name, ephemeral=ephemeral, tools=tools,
            asks_user=asks_user, key=key, timeout=timeout))

    def resume(
        self, request: thread_pb2.ResumeThreadRequest | None = None, *,
        thread: Id | None = None,
        tools: settings_pb2.ToolSelection | Mapping[str, Any] | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.ResumeThreadResponse:
        """Loads a thread. On a frame connection, its events follow on the same stream.

        thread: The thread.
        tools: The client's tools: keep, set or clear. This is a change of settings, with a revision and an
            event.
        """
        return self._run(self._inner.resume(request, thread=thread, tools=tools, key=key, timeout=timeout))

    def fork(
        self, request: thread_pb2.ForkThreadRequest | None = None, *,
        thread: Id | None = None,
        last_turn: Id | None = None,
        settings: settings_pb2.SettingsChange | Mapping[str, Any] | None = None,
        name: str | None = None,
        tools: settings_pb2.ToolSelection | Mapping[str, Any] | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.ForkThreadResponse:
        """Creates a thread that shares another thread's history. On a frame connection, its events follow on the
        same stream.

        thread: The source.
        last_turn: Share the history up to the end of this turn; absent: up to the last durable event.
        settings: Settings that differ from the source's.
        name: Its name.
        tools: The fork's tools: those of the source, these, or none.
        """
        return self._run(self._inner.fork(
            request, thread=thread, last_turn=last_turn, settings=settings, name=name, tools=tools,
            key=key, timeout=timeout))

    def read(
        self, request: thread_pb2.ReadThreadRequest | None = None, *,
        thread: Id | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.ReadThreadResponse:
        """Reads a thread without loading it.

        thread: The thread.
        """
        return self._run(self._inner.read(request, thread=thread, timeout=timeout))

    def list(
        self, request: thread_pb2.ListThreadsRequest | None = None, *,
        cursor: str | None = None,
        page_size: int | None = None,
        order: int | str | None = None,
        archived: bool | None = None,
        source: int | str | None = None,
        parent: Id | None = None,
        forked_from: Id | None = None,
        model_provider: str | None = None,
        text: str | None = None,
        working_folder: str | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.ListThreadsResponse:
        """Lists threads, page by page.

        cursor: Cursor from the previous page; absent: the first page.
        page_size: Threads on a page, 1 to 200; absent: 25.
        order: Order of creation.
        archived: True: only archived threads. False or absent: only threads that are not archived.
        source: Only threads that exist for this reason.
        parent: Only threads spawned by this thread.
        forked_from: Only threads forked from this thread.
        model_provider: Only threads of this provider.
        text: Only threads whose name or preview contains this text, ignoring the case of ASCII letters.
        working_folder: Only threads of this working folder.
        created_after: Only threads created at or after this time, unix milliseconds.
        created_before: Only threads created before this time, unix milliseconds.
        """
        return self._run(self._inner.list(
            request, cursor=cursor, page_size=page_size, order=order, archived=archived, source=source,
            parent=parent, forked_from=forked_from, model_provider=model_provider, text=text,
            working_folder=working_folder, created_after=created_after, created_before=created_before,
            timeout=timeout))

    def iter_list(
        self, request: thread_pb2.ListThreadsRequest | None = None, *,
        cursor: str | None = None,
        page_size: int | None = None,
        order: int | str | None = None,
        archived: bool | None = None,
        source: int | str | None = None,
        parent: Id | None = None,
        forked_from: Id | None = None,
        model_provider: str | None = None,
        text: str | None = None,
        working_folder: str | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
        timeout: float | None = None,
    ) -> Iterator[thread_pb2.AgentThread]:
        """All threads of `list`, page after page."""
        return self._each(self._inner.iter_list(
            request, cursor=cursor, page_size=page_size, order=order, archived=archived, source=source,
            parent=parent, forked_from=forked_from, model_provider=model_provider, text=text,
            working_folder=working_folder, created_after=created_after, created_before=created_before,
            timeout=timeout))

    def list_loaded(
        self, request: thread_pb2.ListLoadedThreadsRequest | None = None, *,
        cursor: str | None = None,
        page_size: int | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.ListLoadedThreadsResponse:
        """Lists the threads that are loaded on this node, page by page.

        cursor: Cursor from the previous page.
        page_size: Ids on a page, 1 to 200; absent: 200.
        """
        return self._run(self._inner.list_loaded(request, cursor=cursor, page_size=page_size, timeout=timeout))

    def iter_list_loaded(
        self, request: thread_pb2.ListLoadedThreadsRequest | None = None, *,
        cursor: str | None = None,
        page_size: int | None = None,
        timeout: float | None = None,
    ) -> Iterator[bytes]:
        """All threads of `list_loaded`, page after page."""
        return self._each(self._inner.iter_list_loaded(
            request, cursor=cursor, page_size=page_size, timeout=timeout))

    def search(
        self, request: thread_pb2.SearchThreadsRequest | None = None, *,
        text: str | None = None,
        cursor: str | None = None,
        page_size: int | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.SearchThreadsResponse:
        """Finds text in items. Not built yet.

        text: The text to find.
        cursor: Cursor from the previous page.
        page_size: Hits on a page, 1 to 200; absent: 25.
        """
        return self._run(self._inner.search(
            request, text=text, cursor=cursor, page_size=page_size, timeout=timeout))

    def iter_search(
        self, request: thread_pb2.SearchThreadsRequest | None = None, *,
        text: str | None = None,
        cursor: str | None = None,
        page_size: int | None = None,
        timeout: float | None = None,
    ) -> Iterator[thread_pb2.SearchHit]:
        """All hits of `search`, page after page."""
        return self._each(self._inner.iter_search(
            request, text=text, cursor=cursor, page_size=page_size, timeout=timeout))

    def list_turns(
        self, request: thread_pb2.ListTurnsRequest | None = None, *,
        thread: Id | None = None,
        cursor: str | None = None,
        page_size: int | None = None,
        order: int | str | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.ListTurnsResponse:
        """Lists the turns of a thread, page by page.

        thread: The thread.
        cursor: Cursor from the previous page.
        page_size: Turns on a page, 1 to 200; absent: 25.
        order: Order of the list.
        """
        return self._run(self._inner.list_turns(
            request, thread=thread, cursor=cursor, page_size=page_size, order=order, timeout=timeout))

    def iter_list_turns(
        self, request: thread_pb2.ListTurnsRequest | None = None, *,
        thread: Id | None = None,
        cursor: str | None = None,
        page_size: int | None = None,
        order: int | str | None = None,
        timeout: float | None = None,
    ) -> Iterator[turn_pb2.Turn]:
        """All turns of `list_turns`, page after page."""
        return self._each(self._inner.iter_list_turns(
            request, thread=thread, cursor=cursor, page_size=page_size, order=order, timeout=timeout))

    def list_items(
        self, request: thread_pb2.ListItemsRequest | None = None, *,
        thread: Id | None = None,
        turn: Id | None = None,
        cursor: str | None = None,
        page_size: int | None = None,
        order: int | str | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.ListItemsResponse:
        """Lists the items of a thread, page by page.

        thread: The thread.
        turn: Only items of this turn.
        cursor: Cursor from the previous page.
        page_size: Items on a page, 1 to 200; absent: 25.
        order: Order of the list; absent: oldest first.
        """
        return self._run(self._inner.list_items(
            request, thread=thread, turn=turn, cursor=cursor, page_size=page_size, order=order,
            timeout=timeout))

    def iter_list_items(
        self, request: thread_pb2.ListItemsRequest | None = None, *,
        thread: Id | None = None,
        turn: Id | None = None,
        cursor: str | None = None,
        page_size: int | None = None,
        order: int | str | None = None,
        timeout: float | None = None,
    ) -> Iterator[thread_pb2.ListedItem]:
        """All items of `list_items`, page after page."""
        return self._each(self._inner.iter_list_items(
            request, thread=thread, turn=turn, cursor=cursor, page_size=page_size, order=order,
            timeout=timeout))

    def set_name(
        self, request: thread_pb2.SetThreadNameRequest | None = None, *,
        thread: Id | None = None,
        name: str | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.SetThreadNameResponse:
        """Names a thread.

        thread: The thread.
        name: The name, at most 1,024 bytes; empty: none.
        """
        return self._run(self._inner.set_name(request, thread=thread, name=name, key=key, timeout=timeout))

    def archive(
        self, request: thread_pb2.ArchiveThreadRequest | None = None, *,
        thread: Id | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.ArchiveThreadResponse:
        """Archives a thread and its tree.

        thread: The thread.
        """
        return self._run(self._inner.archive(request, thread=thread, key=key, timeout=timeout))

    def unarchive(
        self, request: thread_pb2.UnarchiveThreadRequest | None = None, *,
        thread: Id | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.UnarchiveThreadResponse:
        """Unarchives a thread and its tree.

        thread: The thread.
        """
        return self._run(self._inner.unarchive(request, thread=thread, key=key, timeout=timeout))

    def delete(
        self, request: thread_pb2.DeleteThreadRequest | None = None, *,
        thread: Id | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.DeleteThreadResponse:
        """Deletes a thread and its tree.

        thread: The thread.
        """
        return self._run(self._inner.delete(request, thread=thread, key=key, timeout=timeout))

    def rollback(
        self, request: thread_pb2.RollbackThreadRequest | None = None, *,
        thread: Id | None = None,
        turns: int | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.RollbackThreadResponse:
        """Removes the last turns from the context and the turn list.

        thread: The thread; must be idle.
        turns: Number of turns, at least 1; a number above the thread's turns means all of them.
        """
        return self._run(self._inner.rollback(request, thread=thread, turns=turns, key=key, timeout=timeout))

    def compact(
        self, request: thread_pb2.CompactThreadRequest | None = None, *,
        thread: Id | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.CompactThreadResponse:
        """Replaces the context with a summary.

        thread: The thread; must be idle.
        """
        return self._run(self._inner.compact(request, thread=thread, key=key, timeout=timeout))

    def inject_items(
        self, request: thread_pb2.InjectItemsRequest | None = None, *,
        thread: Id | None = None,
        items: Iterable[item_pb2.Item | Mapping[str, Any]] | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.InjectItemsResponse:
        """Adds items to the history without a turn. Not built yet.

        thread: The thread; must be idle.
        items: The items.
        """
        return self._run(self._inner.inject_items(
            request, thread=thread, items=items, key=key, timeout=timeout))

    def export(
        self, request: thread_pb2.ExportThreadRequest | None = None, *,
        thread: Id | None = None,
        after: int | None = None,
        page_size: int | None = None,
        timeout: float | None = None,
    ) -> thread_pb2.ExportThreadResponse:
        """Reads a thread's stored events. Not built yet.

        thread: The thread.
        after: Return events after this one.
        page_size: Events on a page, 1 to 200; absent: 200.
        """
        return self._run(self._inner.export(
            request, thread=thread, after=after, page_size=page_size, timeout=timeout))


class TurnsService(SyncService[services.TurnsService]):
    """The methods of TurnService: `client.turns`."""

    def start(
        self, request: turn_pb2.StartTurnRequest | None = None, *,
        thread: Id | None = None,
        input: turn_pb2.TurnInput | Mapping[str, Any] | None = None,
        settings: settings_pb2.SettingsChange | Mapping[str, Any] | None = None,
        when_busy: int | str | None = None,
        output_schema: str | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> turn_pb2.StartTurnResponse:
        """Starts a turn, or queues it.

        thread: The thread.
        input: The input; must not be empty.
        settings: Settings for this turn and later turns; for later turns only if the input is added to a
            running turn.
        when_busy: Handling if another turn is running.
        output_schema: JSON schema that the answer must match; for this turn only.
        """
        return self._run(self._inner.start(
            request, thread=thread, input=input, settings=settings, when_busy=when_busy,
            output_schema=output_schema, key=key, timeout=timeout))

    def steer(
        self, request: turn_pb2.SteerTurnRequest | None = None, *,
        thread: Id | None = None,
        turn: Id | None = None,
        input: turn_pb2.TurnInput | Mapping[str, Any] | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> turn_pb2.SteerTurnResponse:
        """Adds input to a running turn.

        thread: The thread.
        turn: The turn that the caller believes to be running.
        input: The input; must not be empty.
        """
        return self._run(self._inner.steer(
            request, thread=thread, turn=turn, input=input, key=key, timeout=timeout))

    def interrupt(
        self, request: turn_pb2.InterruptTurnRequest | None = None, *,
        thread: Id | None = None,
        turn: Id | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> turn_pb2.InterruptTurnResponse:
        """Interrupts a running turn.

        thread: The thread.
        turn: The turn.
        """
        return self._run(self._inner.interrupt(request, thread=thread, turn=turn, key=key, timeout=timeout))

    def list_queue(
        self, request: turn_pb2.ListQueueRequest | None = None, *,
        thread: Id | None = None,
        timeout: float | None = None,
    ) -> turn_pb2.ListQueueResponse:
        """Lists the queued turns.

        thread: The thread.
        """
        return self._run(self._inner.list_queue(request, thread=thread, timeout=timeout))

    def cancel_queued(
        self, request: turn_pb2.CancelQueuedTurnRequest | None = None, *,
        thread: Id | None = None,
        turn: Id | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> turn_pb2.CancelQueuedTurnResponse:
        """Removes a turn from the queue.

        thread: The thread.
        turn: The turn.
        """
        return self._run(self._inner.cancel_queued(
            request, thread=thread, turn=turn, key=key, timeout=timeout))


class SettingsService(SyncService[services.SettingsService]):
    """The methods of SettingsService: `client.settings`."""

    def read(
        self, request: settings_pb2.ReadSettingsRequest | None = None, *,
        thread: Id | None = None,
        timeout: float | None = None,
    ) -> settings_pb2.ReadSettingsResponse:
        """Returns the settings for the next turn.

        thread: The thread.
        """
        return self._run(self._inner.read(request, thread=thread, timeout=timeout))

    def update(
        self, request: settings_pb2.UpdateSettingsRequest | None = None, *,
        thread: Id | None = None,
        change: settings_pb2.SettingsChange | Mapping[str, Any] | None = None,
        expected_revision: int | None = None,
        tools: settings_pb2.ToolSelection | Mapping[str, Any] | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> settings_pb2.UpdateSettingsResponse:
        """Changes settings for the next turn; allowed while a turn is running.

        thread: The thread.
        change: The change.
        expected_revision: Refuse the change with `revision_mismatch` unless this is the current revision
            (rules.md S4).
        tools: The client's tools: keep, set or clear. Part of the same change, with the same revision.
        """
        return self._run(self._inner.update(
            request, thread=thread, change=change, expected_revision=expected_revision, tools=tools,
            key=key, timeout=timeout))


class AgentsService(SyncService[services.AgentsService]):
    """The methods of AgentService: `client.agents`."""

    def list_tree(
        self, request: agent_pb2.ListTreeRequest | None = None, *,
        thread: Id | None = None,
        timeout: float | None = None,
    ) -> agent_pb2.ListTreeResponse:
        """Returns the whole tree.

        thread: Any thread of the tree.
        """
        return self._run(self._inner.list_tree(request, thread=thread, timeout=timeout))

    def interrupt(
        self, request: agent_pb2.InterruptAgentRequest | None = None, *,
        thread: Id | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> agent_pb2.InterruptAgentResponse:
        """Interrupts the running turn of an agent.

        thread: The agent.
        """
        return self._run(self._inner.interrupt(request, thread=thread, key=key, timeout=timeout))

    def close(
        self, request: agent_pb2.CloseAgentRequest | None = None, *,
        thread: Id | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> agent_pb2.CloseAgentResponse:
        """Closes an agent and all agents below it.

        thread: The agent.
        """
        return self._run(self._inner.close(request, thread=thread, key=key, timeout=timeout))


class CatalogService(SyncService[services.CatalogService]):
    """The methods of CatalogService: `client.catalog`."""

    def list_models(
        self, request: catalog_pb2.ListModelsRequest | None = None, *,
        include_hidden: bool | None = None,
        timeout: float | None = None,
    ) -> catalog_pb2.ListModelsResponse:
        """Lists the models.

        include_hidden: Include hidden models.
        """
        return self._run(self._inner.list_models(request, include_hidden=include_hidden, timeout=timeout))

    def list_features(
        self, request: catalog_pb2.ListFeaturesRequest | None = None, *,
        timeout: float | None = None,
    ) -> catalog_pb2.ListFeaturesResponse:
        """Lists the features."""
        return self._run(self._inner.list_features(request, timeout=timeout))

    def set_feature(
        self, request: catalog_pb2.SetFeatureRequest | None = None, *,
        name: str | None = None,
        enabled: bool | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> catalog_pb2.SetFeatureResponse:
        """Turns a feature on or off.

        name: The feature.
        enabled: Its new value; absent: return to the configured value.
        """
        return self._run(self._inner.set_feature(
            request, name=name, enabled=enabled, key=key, timeout=timeout))


class ServerService(SyncService[services.ServerService]):
    """The methods of ServerService: `client.server`."""

    def status(
        self, request: server_pb2.ServerStatusRequest | None = None, *,
        timeout: float | None = None,
    ) -> server_pb2.ServerStatusResponse:
        """Returns the server's status."""
        return self._run(self._inner.status(request, timeout=timeout))

    def start_capture(
        self, request: server_pb2.StartCaptureRequest | None = None, *,
        thread: Id | None = None,
        tenant: str | None = None,
        share: int | None = None,
        max_bytes: int | None = None,
        max_ms: int | None = None,
        timeout: float | None = None,
    ) -> server_pb2.StartCaptureResponse:
        """Starts recording frames.

        thread: Record only frames that concern this thread.
        tenant: Record only connections of this tenant.
        share: Record only this many of every 1,000 connections, selected by connection id: 1 to 1,000.
        max_bytes: Maximum file size, bytes. The recording ends at the first frame that would exceed it. Absent:
            64 MiB.
        max_ms: Maximum duration, milliseconds, at most 24 hours; absent: 5 minutes.
        """
        return self._run(self._inner.start_capture(
            request, thread=thread, tenant=tenant, share=share, max_bytes=max_bytes, max_ms=max_ms,
            timeout=timeout))

    def stop_capture(
        self, request: server_pb2.StopCaptureRequest | None = None, *,
        timeout: float | None = None,
    ) -> server_pb2.StopCaptureResponse:
        """Stops the recording."""
        return self._run(self._inner.stop_capture(request, timeout=timeout))

    def read_capture(
        self, request: server_pb2.ReadCaptureRequest | None = None, *,
        timeout: float | None = None,
    ) -> server_pb2.ReadCaptureResponse:
        """Returns the state of the recording."""
        return self._run(self._inner.read_capture(request, timeout=timeout))


class CallsService(SyncService[services.CallsService]):
    """The methods of CallService: `client.calls`."""

    def answer(
        self, request: client_pb2.AnswerCallRequest | None = None, *,
        thread: Id | None = None,
        turn: Id | None = None,
        call_id: str | None = None,
        tool: client_pb2.CallToolResponse | Mapping[str, Any] | None = None,
        input: client_pb2.RequestUserInputResponse | Mapping[str, Any] | None = None,
        refused: frame_pb2.Error | Mapping[str, Any] | None = None,
        key: bytes | None = None,
        timeout: float | None = None,
    ) -> client_pb2.AnswerCallResponse:
        """Answers a call of the server. Any connection of the tenant may answer; the first answer counts.

        thread: The thread that the call names.
        turn: The turn that the call names.
        call_id: The id that the call has; must not be empty.
        tool: The tool's answer, to `OpenCall.tool`.
        input: The user's answer, to `OpenCall.input`.
        refused: UNIMPLEMENTED: this client does not have the tool, and the call waits for other clients. Any
            other code: the tool failed, and the model receives `message`.
        """
        return self._run(self._inner.answer(
            request, thread=thread, turn=turn, call_id=call_id, tool=tool, input=input, refused=refused,
            key=key, timeout=timeout))
