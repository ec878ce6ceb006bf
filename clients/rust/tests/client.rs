//! The client against a server with the scripted model. The conformance suite has what a bad server does.

mod server;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use heddle::v1::{self, event, subscription_event, TurnStatus};
use heddle::{reason, Client, Error, Kind};
use server::Server;

async fn thread(client: &Client, request: v1::StartThreadRequest) -> Vec<u8> {
    client.threads().start(request).await.unwrap().thread.unwrap().id
}

async fn new_thread(client: &Client) -> Vec<u8> {
    thread(client, v1::StartThreadRequest::default()).await
}

fn event_of(message: &v1::SubscriptionEvent) -> Option<&event::Kind> {
    match &message.kind {
        Some(subscription_event::Kind::Event(event)) => event.kind.as_ref(),
        _ => None,
    }
}

#[tokio::test]
async fn calls_events_and_a_turn() {
    let server = Server::start();
    let client = Client::connect(&server.url()).await.unwrap();
    let id = thread(&client, v1::StartThreadRequest { name: "first".into(), ..Default::default() }).await;
    let whole = client.turn(&*id, "!chunks 20\n!delay 5\nHello there").result().await.unwrap();
    assert_eq!(whole, "You said: Hello there");
    let mut turn = client.turn(&*id, "!chunks 7\n!delay 20\nabcdefg");
    let (mut pieces, mut text) = (0, String::new());
    while let Some(piece) = turn.next().await.unwrap() {
        text.push_str(&piece);
        pieces += 1;
    }
    assert_eq!(text, "You said: abcdefg");
    assert!(pieces >= 2 && !turn.id().is_empty() && turn.usage().is_some());
    let error = client.threads().read(v1::ReadThreadRequest { thread: vec![0; 16] }).await;
    match error.unwrap_err() {
        Error::Refused(refusal) => {
            assert_eq!((refusal.code.as_str(), refusal.reason.as_str()), ("NOT_FOUND", reason::THREAD));
            assert!(!refusal.may_have_happened);
        }
        other => panic!("{other:?}"),
    }
    let mut names = Vec::new();
    let mut pages = client.threads().each_list(v1::ListThreadsRequest::default());
    while let Some(one) = pages.next().await.unwrap() {
        names.push(one.name);
    }
    assert_eq!(names, ["first"]);
    client.close().await;
}

#[tokio::test]
async fn a_turn_that_fails_and_one_that_the_program_gives_up() {
    let server = Server::start();
    let client = Client::connect(&server.url()).await.unwrap();
    let id = new_thread(&client).await;
    let mut turn = client.turn(&*id, "!fail");
    let error = turn.result().await.unwrap_err();
    assert!(matches!(error, Error::TurnFailed(_)) && error.is_reason("model_failed"), "{error:?}");
    assert!(turn.result().await.is_err(), "a turn that failed has no result later");
    let given_up = tokio::time::timeout(Duration::from_millis(300), client.turn(&*id, "!stall").result()).await;
    assert!(given_up.is_err());
    let mut ends = Vec::new();
    let mut events = client.subscribe(&*id).after(0);
    while ends.len() < 2 {
        if let Some(event::Kind::TurnEnded(ended)) = event_of(&events.next().await.unwrap().unwrap()) {
            ends.push(ended.status);
        }
    }
    assert_eq!(ends, [TurnStatus::Failed as i32, TurnStatus::Interrupted as i32]);
}

/// Each change once and each event once, over a server that is killed three times.
#[tokio::test]
async fn a_kill_in_the_middle_loses_nothing() {
    let mut server = Server::start();
    let builder = Client::builder().retries(100).backoff(Duration::from_millis(50), Duration::from_millis(200));
    let client = builder.connect(&server.url()).await.unwrap();
    let id = new_thread(&client).await;
    let mut events = client.subscribe(&*id).after(0);
    let following = tokio::spawn(async move {
        let mut names = Vec::new();
        while names.last().map(String::as_str) != Some("last") {
            if let Some(event::Kind::NameChanged(changed)) = event_of(&events.next().await.unwrap().unwrap()) {
                names.push(changed.name.clone());
            }
        }
        names
    });
    let mut wanted = Vec::new();
    for number in 0..61 {
        if [10, 30, 50].contains(&number) {
            server.restart();
        }
        let name = if number == 60 { "last".to_string() } else { format!("name {number}") };
        wanted.push(name.clone());
        let request = v1::SetThreadNameRequest { thread: id.clone(), name };
        client.threads().set_name(request).await.unwrap();
    }
    assert_eq!(following.await.unwrap(), wanted);
}

#[tokio::test]
async fn tools_and_a_question() {
    let server = Server::start();
    let builder = Client::builder()
        .tool("weather", |arguments| async move { Ok(format!("grey: {arguments}")) })
        .tool("panics", |_| async { panic!("the sky fell") })
        .on_question(|_| async { Ok("Bern".into()) });
    let client = builder.connect(&server.url()).await.unwrap();
    let offered = |name: &str| v1::ToolDefinition {
        name: name.into(),
        description: "d".into(),
        schema: r#"{"type":"object"}"#.into(),
    };
    let tools = vec![offered("weather"), offered("panics")];
    let id = thread(&client, v1::StartThreadRequest { asks_user: true, tools, ..Default::default() }).await;
    for (input, wanted) in [
        (r#"!tool weather {"town": "Bern"}"#, "grey"),
        (r#"!tool panics {}"#, "the sky fell"),
        (r#"!tool request_user_input {"question": "Which town?"}"#, "Bern"),
    ] {
        let text = client.turn(&*id, input).result().await.unwrap();
        assert!(text.contains(wanted), "{input}: {text}");
    }
}

/// The number of open connections.
struct Open(Arc<AtomicUsize>);

impl heddle::Hooks for Open {
    fn connected(&self, _: &str) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn lost(&self, _: &str) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn nothing_is_left_after_the_end() {
    let server = Server::start();
    let open = Arc::new(AtomicUsize::new(0));
    for is_closed in [true, false] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = Client::builder().hooks(Open(open.clone())).connect(&server.url()).await.unwrap();
            let id = new_thread(&client).await;
            let events = client.subscribe(&*id);
            events.opened().await.unwrap();
            assert_eq!(open.load(Ordering::SeqCst), 1);
            if is_closed {
                client.close().await;
                let error = client.server().status(v1::ServerStatusRequest::default()).await.unwrap_err();
                assert_eq!(error.kind(), Kind::Closed);
            }
            drop((client, events));
        });
        assert_eq!(open.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_heard_as_cancelled() {
    struct Reasons(Arc<std::sync::Mutex<Vec<String>>>);
    impl heddle::Hooks for Reasons {
        fn call(&self, call: &heddle::CallEnded<'_>) {
            self.0.lock().unwrap().push(call.reason.to_string());
        }
    }
    let server = Server::start();
    let reasons = Arc::default();
    let client = Client::builder().hooks(Reasons(Arc::clone(&reasons))).connect(&server.url()).await.unwrap();
    let call = client.server().status(v1::ServerStatusRequest::default());
    tokio::select! {
        biased;
        answer = call => panic!("{answer:?}"),
        () = std::future::ready(()) => {}
    }
    client.server().status(v1::ServerStatusRequest::default()).await.unwrap();
    assert_eq!(*reasons.lock().unwrap(), ["Cancelled", ""]);
}

#[tokio::test]
async fn nobody_listens() {
    let error = Client::builder().retries(0).connect("heddle://127.0.0.1:1").await.unwrap_err();
    assert!(matches!(error, Error::CannotConnect(_)) && error.to_string().contains("127.0.0.1:1"), "{error}");
}

#[test]
fn a_client_without_a_runtime_is_an_error() {
    let error = Client::builder().build("heddle://127.0.0.1").unwrap_err();
    assert!(error.to_string().contains("runtime"), "{error}");
}

#[tokio::test]
async fn no_secret_is_printed() {
    let builder = Client::builder().token("a secret");
    assert!(!format!("{builder:?}").contains("secret"));
    let client = builder.build("heddle://127.0.0.1:1").unwrap();
    assert_eq!(format!("{client:?}"), "heddle::Client of 127.0.0.1:1");
}
