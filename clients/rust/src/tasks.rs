//! The tasks of a client, so that none is left when it is closed.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::Notify;

pub(crate) struct Tasks {
    handle: Handle,
    running: Arc<Running>,
}

#[derive(Default)]
struct Running {
    count: AtomicUsize,
    ended: Notify,
}

/// Counts a task until it ends, by itself or by the end of the runtime.
struct Counted(Arc<Running>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::SeqCst);
        self.0.ended.notify_waiters();
    }
}

impl Tasks {
    pub(crate) fn new(handle: Handle) -> Tasks {
        Tasks { handle, running: Arc::default() }
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.running.count.fetch_add(1, Ordering::SeqCst);
        let counted = Counted(self.running.clone());
        self.handle.spawn(async move {
            let _counted = counted;
            work.await;
        });
    }

    pub(crate) async fn all_ended(&self) {
        loop {
            let ended = self.running.ended.notified();
            if self.running.count.load(Ordering::SeqCst) == 0 {
                return;
            }
            ended.await;
        }
    }
}
