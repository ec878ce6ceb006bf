/* A session in C: starts a thread, runs a turn, prints the model's words. session [PORT] asks a server on this machine. */
#include <arpa/inet.h>
#include <heddle/v1/thread.pb-c.h>
#include <stdio.h>
#include <stdlib.h>
#define KIND(name) HEDDLE__V1__FRAME_KIND__FRAME_KIND_##name
struct __attribute__((packed)) header { uint8_t magic, kind; uint16_t method; uint32_t stream; uint8_t version; uint16_t metadata; uint8_t flags; uint32_t length; };
static void say(FILE *out, int kind, int method, int stream, const void *message) {
  uint8_t bytes[8192]; /* enough for each message of this program */
  struct header header = {0xFA, kind, htons(method), htonl(stream), 1, 0, 0, htonl(protobuf_c_message_pack(message, bytes))};
  fwrite(&header, sizeof header, 1, out), fwrite(bytes, 1, ntohl(header.length), out), fflush(out);
}
int main(int count, char **words) {
  struct sockaddr_in place = {AF_INET, htons(count > 1 ? atoi(words[1]) : 7420), {htonl(INADDR_LOOPBACK)}, {0}};
  int server = socket(AF_INET, SOCK_STREAM, 0);
  FILE *out = fdopen(server, "w"), *in = fdopen(server, "r");
  if (connect(server, (struct sockaddr *)&place, sizeof place)) return perror("connect"), 1;
  Heddle__V1__StartThreadRequest start = HEDDLE__V1__START_THREAD_REQUEST__INIT;
  Heddle__V1__StartTurnRequest turn = HEDDLE__V1__START_TURN_REQUEST__INIT;
  Heddle__V1__TurnInput input = HEDDLE__V1__TURN_INPUT__INIT;
  Heddle__V1__ContentPart part = {.base = PROTOBUF_C_MESSAGE_INIT(&heddle__v1__content_part__descriptor), .part_case =
    HEDDLE__V1__CONTENT_PART__PART_TEXT, .text = {5, (uint8_t *)"Hello"}}, *content = &part;
  Heddle__V1__ClientHello hello = {.base = PROTOBUF_C_MESSAGE_INIT(&heddle__v1__client_hello__descriptor), .has_client_name = 1, .client_name = {1, (uint8_t *)"C"}};
  input.n_content = turn.has_thread = 1, input.content = &content, turn.input = &input;
  say(out, KIND(HELLO), 0, 0, &hello), say(out, KIND(REQUEST), HEDDLE__V1__METHOD__METHOD_THREAD_START, 1, &start);
  for (struct header header; fread(&header, sizeof header, 1, in) == 1;) {
    uint32_t length = ntohl(header.length), before = ntohs(header.metadata);
    uint8_t *bytes = malloc(length + 1);
    if (!bytes || fread(bytes, 1, length, in) != length || header.kind == KIND(ERROR)) return fputs("refused\n", stderr), 1;
#define UNPACK(name) protobuf_c_message_unpack(&heddle__v1__##name##__descriptor, NULL, length - before, bytes + before)
    if (header.kind == KIND(RESPONSE) && ntohl(header.stream) == 1) {
      turn.thread = ((Heddle__V1__StartThreadResponse *)UNPACK(start_thread_response))->thread->id;
      say(out, KIND(REQUEST), HEDDLE__V1__METHOD__METHOD_TURN_START, 3, &turn);
    } else if (header.kind == KIND(EVENT)) { /* the events of a thread follow the answer to Start */
      Heddle__V1__SubscriptionEvent *e = (void *)UNPACK(subscription_event);
      if (e->kind_case == HEDDLE__V1__SUBSCRIPTION_EVENT__KIND_DELTA) fwrite(e->delta->text.data, 1, e->delta->text.len, stdout);
      if (e->kind_case == HEDDLE__V1__SUBSCRIPTION_EVENT__KIND_EVENT && e->event->kind_case == HEDDLE__V1__EVENT__KIND_TURN_ENDED) return 0;
    }
  }
}
