package dev.heddle;

/** A function that runs a tool. */
@FunctionalInterface
public interface Tool {
  /**
   * Runs the tool. The model is told of an exception. The thread is interrupted when the server takes the call back or its deadline
   * passes, but not when the connection is lost.
   *
   * @param arguments a JSON object, as text
   * @return text for the model
   */
  String run(String arguments) throws Exception;
}
