import com.google.protobuf.ByteString;
import dev.heddle.v1.ReadSettingsRequest;
import dev.heddle.v1.ReadSettingsResponse;
import io.grpc.CallOptions;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** grpc-java (Debian's libgrpc-java) with the messages of the Java client: see README.md. */
public final class JavaGrpc {
  private static final MethodDescriptor<ReadSettingsRequest, ReadSettingsResponse> READ =
      MethodDescriptor.<ReadSettingsRequest, ReadSettingsResponse>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("heddle.v1.SettingsService/Read")
          .setRequestMarshaller(ProtoUtils.marshaller(ReadSettingsRequest.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(ReadSettingsResponse.getDefaultInstance()))
          .build();

  private static double cpu() {
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / 1e9;
  }

  private static void calls(io.grpc.Channel channel, ByteString thread, int depth, int count) throws InterruptedException {
    var threads = new ArrayList<Thread>();
    for (int place = 0; place < depth; place++) {
      var one = new Thread(() -> {
        for (int done = 0; done < count / depth; done++) {
          var options = CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS);
          ClientCalls.blockingUnaryCall(channel, READ, options, ReadSettingsRequest.newBuilder().setThread(thread).build());
        }
      });
      one.setUncaughtExceptionHandler((failed, failure) -> {
        failure.printStackTrace();
        System.exit(1);
      });
      one.start();
      threads.add(one);
    }
    for (var one : threads) one.join();
  }

  public static void main(String[] words) throws InterruptedException {
    var id = UUID.fromString(words[2]);
    var bytes = ByteBuffer.allocate(16).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    var thread = ByteString.copyFrom(bytes.flip());
    int depth = Integer.parseInt(words[3]);
    int count = Integer.parseInt(words[4]);
    var channel = ManagedChannelBuilder.forTarget(words[1]).usePlaintext().build();
    calls(channel, thread, depth, count / 10);
    double used = cpu();
    long began = System.nanoTime();
    calls(channel, thread, depth, count);
    System.out.printf(Locale.ROOT, "{\"cpu\":%f,\"seconds\":%f}%n", cpu() - used, (System.nanoTime() - began) / 1e9);
    channel.shutdownNow();
  }
}
