// A model behind HTTP that answers at once: every POST gets the same bytes, which FILE holds, head included.
// One thread, epoll, connections are kept. The models of Tests/integration are in Python and would be what is measured.
// usage: model PORT FILE
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CAP = 1 << 20 };
typedef struct { int fd; size_t in; char ib[CAP + 1]; } Connection;

// Bytes of the first request in the buffer, 0 when not all of it is there.
static size_t request(Connection *c) {
    c->ib[c->in] = 0;
    char *end = strstr(c->ib, "\r\n\r\n");
    if (!end) return 0;
    size_t head = (size_t)(end - c->ib) + 4, body = 0;
    for (char *line = c->ib; line < end; line = strstr(line, "\r\n") + 2)
        if (!strncasecmp(line, "content-length:", 15)) body = strtoul(line + 15, NULL, 10);
    return head + body <= c->in ? head + body : 0;
}

int main(int count, char **arguments) {
    if (count < 3) return 1;
    static char answer[1 << 16];
    FILE *file = fopen(arguments[2], "rb");
    size_t length = file ? fread(answer, 1, sizeof answer, file) : 0;
    if (!length) { perror(arguments[2]); return 1; }
    int one = 1, door = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), ep = epoll_create1(0);
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(door, (void *)&a, sizeof a) || listen(door, 1024)) { perror("bind"); return 1; }
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL}, events[64];
    epoll_ctl(ep, EPOLL_CTL_ADD, door, &e);
    for (;;) {
        int n = epoll_wait(ep, events, 64, -1);
        for (int i = 0; i < n; i++) {
            Connection *c = events[i].data.ptr;
            int fd;
            if (!c) {
                while ((fd = accept4(door, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                    c = malloc(sizeof *c);
                    c->fd = fd;
                    c->in = 0;
                    e = (struct epoll_event){.events = EPOLLIN, .data.ptr = c};
                    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
                }
                continue;
            }
            ssize_t got = recv(c->fd, c->ib + c->in, CAP - c->in, 0);
            size_t used;
            if (got > 0) c->in += (size_t)got;
            while (got > 0 && (used = request(c))) {
                memmove(c->ib, c->ib + used, c->in -= used);
                if (send(c->fd, answer, length, MSG_NOSIGNAL) != (ssize_t)length) got = -1;
            }
            if (got <= 0 || c->in == CAP) {
                close(c->fd);
                free(c);
            }
        }
    }
}
