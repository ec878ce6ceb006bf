module heddle.dev/go

go 1.23

require google.golang.org/protobuf v1.28.1
