// fanout_floor: the least that sending the same bytes to many sockets can cost. For `growth.py`.
//
//   fanout_floor PORT FRAMEBYTES
//
// The first connection is the trigger: for each byte that comes on it, one message of FRAMEBYTES is written with one
// send() to every other connection, as they stand. Reads nothing else, decodes nothing, keeps nothing.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc != 3) { fprintf(stderr, "usage: fanout_floor PORT FRAMEBYTES\n"); return 2; }
  size_t bytes = atol(argv[2]);
  char *message = calloc(bytes ? bytes : 1, 1);
  int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1, trigger = -1, count = 0;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (void *)&at, sizeof at) || listen(listener, 4096)) { perror("listen"); return 1; }
  socklen_t size = sizeof at;
  getsockname(listener, (void *)&at, &size);
  printf("%d\n", ntohs(at.sin_port));
  fflush(stdout);
  int *followers = 0, poll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    if (epoll_wait(poll, &event, 1, -1) < 1) continue;
    if (event.data.fd == listener) {
      int peer = accept(listener, 0, 0);
      if (peer < 0) continue;
      setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      if (trigger < 0) {
        trigger = peer;
        event = (struct epoll_event){.events = EPOLLIN, .data.fd = peer};
        epoll_ctl(poll, EPOLL_CTL_ADD, peer, &event);
      } else {
        followers = realloc(followers, (count + 1) * sizeof *followers);
        followers[count++] = peer;
      }
    } else {
      char byte;
      if (read(trigger, &byte, 1) != 1) return 0;
      for (int i = 0; i < count; i++)
        if (send(followers[i], message, bytes, MSG_NOSIGNAL) != (ssize_t)bytes) { perror("send"); return 1; }
    }
  }
}
