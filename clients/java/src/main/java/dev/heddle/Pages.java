package dev.heddle;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The items of all pages of a list. Each iteration begins with the first page, and asks for a page when it is needed. */
public final class Pages<T> implements Iterable<T> {
  private final Function<String, Page<T>> ask;

  Pages(Function<String, Page<T>> ask) {
    this.ask = ask;
  }

  record Page<T>(List<T> items, String nextCursor) {}

  /** The items as a stream. */
  public Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  @Override
  public Iterator<T> iterator() {
    return new Iterator<>() {
      private Page<T> page = new Page<>(List.of(), null);
      private int position;

      @Override
      public boolean hasNext() {
        while (position == page.items.size()) {
          if ("".equals(page.nextCursor)) {
            return false;
          }
          page = ask.apply(page.nextCursor == null ? "" : page.nextCursor);
          position = 0;
        }
        return true;
      }

      @Override
      public T next() {
        if (!hasNext()) {
          throw new NoSuchElementException("the list has no more items");
        }
        return page.items.get(position++);
      }
    };
  }
}
