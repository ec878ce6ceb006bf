<?php // A session in PHP: starts a thread, runs a turn, prints the model's words. MADE=folder php session.php [HOST:PORT [TEXT]]
// MADE is the folder of `protoc -I proto --php_out MADE proto/heddle/v1/*.proto`. The package php-google-protobuf has protobuf.
use Heddle\V1\{ClientHello, ContentPart, FrameKind, Method, StartThreadRequest, StartThreadResponse, StartTurnRequest};
use Heddle\V1\{SubscriptionEvent, TurnInput};

set_include_path(getenv('MADE') . PATH_SEPARATOR . get_include_path());
spl_autoload_register(fn($class) => require str_replace('\\', '/', $class) . '.php');

function send($socket, int $kind, int $method, int $stream, $message): void {
    $bytes = $message->serializeToString();
    fwrite($socket, pack('CCnNCnCN', 0xFA, $kind, $method, $stream, 1, 0, 0, strlen($bytes)) . $bytes);
}

function frames($socket): Generator { // each frame as its kind, its stream and its message
    while (strlen($header = stream_get_contents($socket, 16)) == 16) {
        $frame = unpack('Cmagic/Ckind/nmethod/Nstream/Cversion/nmetadata/Cflags/Nlength', $header);
        $bytes = $frame['length'] ? substr(stream_get_contents($socket, $frame['length']), $frame['metadata']) : '';
        yield [$frame['kind'], $frame['stream'], $bytes];
    }
}

$socket = stream_socket_client('tcp://' . ($argv[1] ?? '127.0.0.1:7420')) or exit(1);
send($socket, FrameKind::FRAME_KIND_HELLO, 0, 0, new ClientHello(['client_name' => 'session.php']));
send($socket, FrameKind::FRAME_KIND_REQUEST, Method::METHOD_THREAD_START, 1, new StartThreadRequest(['name' => 'PHP']));
foreach (frames($socket) as [$kind, $stream, $bytes]) {
    if ($kind == FrameKind::FRAME_KIND_ERROR) exit("the server refuses: $bytes\n");
    if ($kind == FrameKind::FRAME_KIND_RESPONSE && $stream == 1) {
        ($answer = new StartThreadResponse())->mergeFromString($bytes);
        $input = new TurnInput(['content' => [new ContentPart(['text' => $argv[2] ?? 'Hello'])]]);
        $start = new StartTurnRequest(['thread' => $answer->getThread()->getId(), 'input' => $input]);
        send($socket, FrameKind::FRAME_KIND_REQUEST, Method::METHOD_TURN_START, 3, $start);
    } elseif ($kind == FrameKind::FRAME_KIND_EVENT && $stream == 1) { // the events of a thread follow the answer to Start
        ($message = new SubscriptionEvent())->mergeFromString($bytes);
        echo $message->getDelta()?->getText();
        if ($message->getEvent()?->getTurnEnded()) break;
    }
}
