package arena;

import arena.v1.Arena.PlayRequest;
import arena.v1.Arena.PlayResponse;
import arena.v1.ArenaServiceGrpc;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.io.File;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One stream to the referee, read and written by one thread; gRPC's own thread fills the inbox. */
final class Stream implements AutoCloseable, ClientResponseObserver<PlayRequest, PlayResponse> {
  private static final int LONGEST_RECEIVED = 64 << 20;
  private static final Logger NETTY = Logger.getLogger("io.grpc.netty.shaded.io.netty.bootstrap");

  static {
    NETTY.setLevel(Level.SEVERE); // it warns that gRPC asks Unix sockets for what only TCP has
  }

  private final ManagedChannel channel;
  private final BlockingQueue<Optional<PlayResponse>> inbox = new LinkedBlockingQueue<>();
  private ClientCallStreamObserver<PlayRequest> requests;
  private String ending = "";

  Stream(String address, String token, ChannelCredentials trusted) {
    channel =
        Grpc.newChannelBuilder(address, trusted)
            .maxInboundMessageSize(LONGEST_RECEIVED)
            .proxyDetector(target -> null)
            .directExecutor()
            .build();
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    ArenaServiceGrpc.newStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
        .withOnReadyThreshold(1) // so that "ready" means that everything is written
        .play(this);
  }

  /** Returns TLS that trusts the certificate in a file, or none if no file is named. */
  static ChannelCredentials trust(String file) throws IOException {
    return file.isEmpty()
        ? InsecureChannelCredentials.create()
        : TlsChannelCredentials.newBuilder().trustManager(new File(file)).build();
  }

  /** Sends a message. */
  void write(PlayRequest message) {
    requests.onNext(message);
  }

  /** Waits until everything is written to the socket, or the stream has ended. */
  synchronized void awaitWritten() throws InterruptedException {
    while (!requests.isReady() && ending.isEmpty()) {
      wait();
    }
  }

  /** Waits for the next message; null after the last one. */
  PlayResponse read() throws InterruptedException {
    return inbox.take().orElse(null);
  }

  /** Returns how the stream ended, in words. */
  synchronized String ending() {
    return ending;
  }

  private synchronized void end(String words) {
    ending = words;
    inbox.add(Optional.empty());
    notifyAll();
  }

  private synchronized void wakeWriter() {
    notifyAll();
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<PlayRequest> requestStream) {
    requests = requestStream;
    requests.setOnReadyHandler(this::wakeWriter);
  }

  @Override
  public void onNext(PlayResponse response) {
    inbox.add(Optional.of(response));
  }

  @Override
  public void onError(Throwable thrown) {
    Status status = Status.fromThrowable(thrown);
    end("the stream to the referee failed: " + status.getCode() + ": " + status.getDescription());
  }

  @Override
  public void onCompleted() {
    end("the referee closed the stream without a goodbye");
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
