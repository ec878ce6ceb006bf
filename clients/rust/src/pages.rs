//! The items of all pages of a list.

use std::collections::VecDeque;
use std::fmt;

use crate::errors::Error;
use crate::options::Boxed;

type Page<T> = Result<(Vec<T>, String), Error>;

/// An iterator over the items of all pages; a page is asked for when the one before it is used up.
pub struct Pages<T> {
    ask: Box<dyn Fn(String) -> Boxed<'static, Page<T>> + Send + Sync>,
    items: VecDeque<T>,
    cursor: String,
    is_last: bool,
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("heddle::Pages")
    }
}

impl<T> Pages<T> {
    pub(crate) fn new(ask: impl Fn(String) -> Boxed<'static, Page<T>> + Send + Sync + 'static) -> Pages<T> {
        Pages { ask: Box::new(ask), items: VecDeque::new(), cursor: String::new(), is_last: false }
    }

    /// The next item; `None` behind the last one.
    pub async fn next(&mut self) -> Result<Option<T>, Error> {
        loop {
            if let Some(item) = self.items.pop_front() {
                return Ok(Some(item));
            }
            if self.is_last {
                return Ok(None);
            }
            let (items, cursor) = (self.ask)(self.cursor.clone()).await?;
            self.items.extend(items);
            self.is_last = cursor.is_empty();
            self.cursor = cursor;
        }
    }
}
