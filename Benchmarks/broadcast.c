// The floor of P6: what one thread pays to write the same bytes to many sockets, and nothing else.
// The first connection is the speaker; whatever it sends in one go is written to every later connection.
// usage: broadcast PORT
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LISTENERS = 20000 };

int main(int count, char **arguments) {
    if (count < 2) return 1;
    static int listeners[LISTENERS];
    static char said[1 << 16];
    int one = 1, heard = 0, speaker = -1, door = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), ep = epoll_create1(0);
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(door, (void *)&a, sizeof a) || listen(door, 1024)) { perror("bind"); return 1; }
    struct epoll_event e = {.events = EPOLLIN, .data.fd = door}, events[16];
    epoll_ctl(ep, EPOLL_CTL_ADD, door, &e);
    for (;;) {
        int n = epoll_wait(ep, events, 16, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd == door) {
                int fd;
                while ((fd = accept4(door, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                    if (speaker < 0) {
                        speaker = fd;
                        e = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
                        epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
                    } else if (heard < LISTENERS) listeners[heard++] = fd;
                }
                continue;
            }
            ssize_t length = recv(speaker, said, sizeof said, 0);
            if (length <= 0) return 0;
            for (int k = 0; k < heard; k++)
                if (send(listeners[k], said, (size_t)length, MSG_NOSIGNAL) != length) { perror("send"); return 1; }
        }
    }
}
