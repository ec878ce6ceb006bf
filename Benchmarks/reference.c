// The reference of P1 and P2: one thread, epoll, protobuf-c; decodes, decides and encodes what Heddle does for
// SettingsService/Update, and nothing else. No pre-scan, no limits, no history, no durability.
// A request is unpacked into an arena that is reused, its thread is found by its 16 bytes in an open hash table, the
// answer is packed straight into the connection's outgoing buffer; one send for all that one recv brought.
// It knows HELLO, ThreadService/Start, SettingsService/Read and SettingsService/Update in Heddle's frames.
// usage: reference PORT
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include "heddle/v1/frame.pb-c.h"
#include "heddle/v1/settings.pb-c.h"
#include "heddle/v1/thread.pb-c.h"

enum { CAP = 1 << 18, ROOM = 8192, HEADER = 16, THREADS = 1 << 17, ARENA = 1 << 18 };
enum { REQUEST = 1, RESPONSE = 2, HELLO = 10, START = 101, READ = 301, UPDATE = 302 };

typedef struct { int fd, writes; uint32_t in, out, sent; uint8_t *ib, *ob; } Connection;

typedef struct {
    uint64_t id[2];
    uint64_t sequence, revision;
    Heddle__V1__Settings settings;
} Thread;

static int ep;
static Thread *threads[THREADS];
static uint8_t arena[ARENA] __attribute__((aligned(16)));
static size_t arena_used;

static void *arena_alloc(void *data, size_t size) {
    (void)data;
    size = (size + 15) & ~(size_t)15;
    if (size > ARENA - arena_used) return NULL;
    void *place = arena + arena_used;
    arena_used += size;
    return place;
}
static void arena_free(void *data, void *place) { (void)data; (void)place; }
static ProtobufCAllocator in_arena = {arena_alloc, arena_free, NULL};

static Thread **slot(const uint8_t *id) {
    uint64_t key[2];
    memcpy(key, id, 16);
    for (uint64_t i = (key[0] ^ key[1] * 0x9E3779B97F4A7C15ull) >> 20;; i++) {
        Thread **t = &threads[i & (THREADS - 1)];
        if (!*t || ((*t)->id[0] == key[0] && (*t)->id[1] == key[1])) return t;
    }
}

static void *unpack(const ProtobufCMessageDescriptor *type, const uint8_t *payload, size_t length) {
    return protobuf_c_message_unpack(type, &in_arena, length, payload);
}

// The frame that answers `request`, packed into the outgoing buffer, where pump() has seen to ROOM.
static void answer(Connection *c, const uint8_t *request, uint8_t kind, const ProtobufCMessage *message) {
    uint8_t *head = c->ob + c->out;
    uint32_t length = (uint32_t)protobuf_c_message_pack(message, head + HEADER), big = htonl(length);
    memcpy(head, request, 8);
    head[1] = kind;
    head[8] = 1;
    head[9] = head[10] = 0;
    head[11] = 2;
    memcpy(head + 12, &big, 4);
    c->out += HEADER + length;
}

static int take(ProtobufCBinaryData *to, protobuf_c_boolean *has, ProtobufCBinaryData from, int there) {
    if (!there) return 0;
    if (*has && to->len == from.len && !memcmp(to->data, from.data, from.len)) return 0;
    uint8_t *copy = malloc(from.len + 1);
    memcpy(copy, from.data, from.len);
    if (*has) free(to->data);
    *to = (ProtobufCBinaryData){from.len, copy};
    *has = 1;
    return 1;
}

static int apply(Heddle__V1__Settings *s, const Heddle__V1__SettingsChange *change) {
    int changed = 0;
    changed |= take(&s->model, &s->has_model, change->model, change->has_model);
    changed |= take(&s->reasoning_effort, &s->has_reasoning_effort, change->reasoning_effort,
                    change->has_reasoning_effort);
    changed |= take(&s->developer_instructions, &s->has_developer_instructions, change->developer_instructions,
                    change->has_developer_instructions);
    changed |= take(&s->working_folder, &s->has_working_folder, change->working_folder, change->has_working_folder);
    if (change->mode && change->mode->choice_case == HEDDLE__V1__MODE_SELECTION__CHOICE_SET
        && !(s->has_mode && s->mode == change->mode->set)) {
        s->has_mode = 1;
        s->mode = change->mode->set;
        changed = 1;
    }
    return changed;
}

static int start(Connection *c, const uint8_t *frame, const uint8_t *payload, size_t length) {
    Heddle__V1__StartThreadRequest *request = unpack(&heddle__v1__start_thread_request__descriptor, payload, length);
    if (!request) return -1;
    Thread *t = calloc(1, sizeof *t);
    if (getrandom(t->id, 16, 0) != 16) return -1;
    heddle__v1__settings__init(&t->settings);
    ProtobufCBinaryData scripted = {8, (uint8_t *)"scripted"};
    take(&t->settings.model, &t->settings.has_model, scripted, 1);
    take(&t->settings.model_provider, &t->settings.has_model_provider, scripted, 1);
    if (request->settings) apply(&t->settings, request->settings);
    t->sequence = t->revision = 1;
    *slot((uint8_t *)t->id) = t;
    Heddle__V1__AgentThread thread;
    heddle__v1__agent_thread__init(&thread);
    thread.has_id = 1;
    thread.id = (ProtobufCBinaryData){16, (uint8_t *)t->id};
    thread.settings = &t->settings;
    Heddle__V1__StartThreadResponse response;
    heddle__v1__start_thread_response__init(&response);
    response.has_sequence = 1;
    response.sequence = t->sequence;
    response.thread = &thread;
    answer(c, frame, RESPONSE, &response.base);
    return 0;
}

static int read_settings(Connection *c, const uint8_t *frame, const uint8_t *payload, size_t length) {
    Heddle__V1__ReadSettingsRequest *request = unpack(&heddle__v1__read_settings_request__descriptor, payload, length);
    if (!request || request->thread.len != 16) return -1;
    Thread *t = *slot(request->thread.data);
    if (!t) return -1;
    Heddle__V1__ReadSettingsResponse response;
    heddle__v1__read_settings_response__init(&response);
    response.settings = &t->settings;
    response.has_revision = 1;
    response.revision = t->revision;
    answer(c, frame, RESPONSE, &response.base);
    return 0;
}

static int update(Connection *c, const uint8_t *frame, const uint8_t *payload, size_t length) {
    Heddle__V1__UpdateSettingsRequest *request =
        unpack(&heddle__v1__update_settings_request__descriptor, payload, length);
    if (!request || request->thread.len != 16) return -1;
    Thread *t = *slot(request->thread.data);
    if (!t) return -1;
    int changed = request->change && apply(&t->settings, request->change);
    if (changed) {
        t->sequence++;
        t->revision++;
    }
    Heddle__V1__UpdateSettingsResponse response;
    heddle__v1__update_settings_response__init(&response);
    response.has_sequence = response.has_revision = 1;
    response.sequence = t->sequence;
    response.revision = t->revision;
    response.has_changed = response.changed = changed;
    response.settings = &t->settings;
    answer(c, frame, RESPONSE, &response.base);
    return 0;
}

static int handle(Connection *c, const uint8_t *frame, uint32_t length) {
    const uint8_t *payload = frame + HEADER;
    arena_used = 0;
    if (frame[1] == HELLO) {
        Heddle__V1__ServerHello hello;
        heddle__v1__server_hello__init(&hello);
        hello.has_version = 1;
        hello.version = 1;
        answer(c, frame, HELLO, &hello.base);
        return 0;
    }
    if (frame[0] != 0xFA || frame[1] != REQUEST) return -1;
    switch (frame[2] << 8 | frame[3]) {
    case START: return start(c, frame, payload, length);
    case READ: return read_settings(c, frame, payload, length);
    case UPDATE: return update(c, frame, payload, length);
    default: return -1;
    }
}

static void watch_writes(Connection *c, int writes) {
    if (c->writes == writes) return;
    c->writes = writes;
    struct epoll_event e = {.events = EPOLLIN | (writes ? EPOLLOUT : 0), .data.ptr = c};
    epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
}

static int flush_out(Connection *c) {
    while (c->sent < c->out) {
        ssize_t n = send(c->fd, c->ob + c->sent, c->out - c->sent, MSG_NOSIGNAL);
        if (n < 0) {
            if (errno != EAGAIN) return -1;
            watch_writes(c, 1);
            return 0;
        }
        c->sent += (uint32_t)n;
    }
    c->out = c->sent = 0;
    watch_writes(c, 0);
    return 0;
}

static int pump(Connection *c) {
    uint32_t place = 0;
    while (c->in - place >= HEADER && c->out + ROOM <= CAP) {
        uint32_t length;
        memcpy(&length, c->ib + place + 12, 4);
        length = ntohl(length);
        if (length > CAP - HEADER) return -1;
        if (c->in - place < HEADER + length) break;
        if (handle(c, c->ib + place, length)) return -1;
        place += HEADER + length;
    }
    if (place) {
        memmove(c->ib, c->ib + place, c->in - place);
        c->in -= place;
    }
    return flush_out(c);
}

static int receive(Connection *c) {
    if (c->in == CAP) return 0;
    ssize_t n = recv(c->fd, c->ib + c->in, CAP - c->in, 0);
    if (n == 0) return -1;
    if (n < 0) return errno == EAGAIN ? 0 : -1;
    c->in += (uint32_t)n;
    return pump(c);
}

static void hang_up(Connection *c) {
    close(c->fd);
    free(c->ib);
    free(c->ob);
    free(c);
}

static void accept_all(int listener) {
    int fd, one = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        Connection *c = calloc(1, sizeof *c);
        *c = (Connection){.fd = fd, .ib = malloc(CAP), .ob = malloc(CAP)};
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
    }
}

int main(int count, char **arguments) {
    if (count < 2) return 1;
    int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listener, (void *)&a, sizeof a) || listen(listener, 1024)) { perror("bind"); return 1; }
    ep = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL}, events[256];
    epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e);
    for (;;) {
        int n = epoll_wait(ep, events, 256, -1);
        for (int i = 0; i < n; i++) {
            Connection *c = events[i].data.ptr;
            if (!c) { accept_all(listener); continue; }
            if (events[i].events & EPOLLOUT && (flush_out(c) || pump(c))) { hang_up(c); continue; }
            if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR) && receive(c)) hang_up(c);
        }
    }
}
