// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The exceptions by code. */
final class Codes {
  private Codes() {}

  /** The name of a code, or its number. */
  static String name(int number) {
    return switch (number) {
      case 0 -> "UNSPECIFIED";
      case 1 -> "CANCELLED";
      case 2 -> "UNKNOWN";
      case 3 -> "INVALID_ARGUMENT";
      case 4 -> "DEADLINE_EXCEEDED";
      case 5 -> "NOT_FOUND";
      case 6 -> "ALREADY_EXISTS";
      case 7 -> "PERMISSION_DENIED";
      case 8 -> "RESOURCE_EXHAUSTED";
      case 9 -> "FAILED_PRECONDITION";
      case 10 -> "ABORTED";
      case 11 -> "OUT_OF_RANGE";
      case 12 -> "UNIMPLEMENTED";
      case 13 -> "INTERNAL";
      case 14 -> "UNAVAILABLE";
      case 15 -> "DATA_LOSS";
      case 16 -> "UNAUTHENTICATED";
      default -> Integer.toString(number);
    };
  }

  static HeddleException exception(Failure failure) {
    return switch (failure.code) {
      case "CANCELLED" -> new CancelledByServerException(failure);
      case "UNKNOWN" -> new UnknownErrorException(failure);
      case "INVALID_ARGUMENT" -> new InvalidArgumentException(failure);
      case "DEADLINE_EXCEEDED" -> new DeadlineExceededException(failure);
      case "NOT_FOUND" -> new NotFoundException(failure);
      case "ALREADY_EXISTS" -> new AlreadyExistsException(failure);
      case "PERMISSION_DENIED" -> new PermissionDeniedException(failure);
      case "RESOURCE_EXHAUSTED" -> new ResourceExhaustedException(failure);
      case "FAILED_PRECONDITION" -> new FailedPreconditionException(failure);
      case "ABORTED" -> new AbortedException(failure);
      case "OUT_OF_RANGE" -> new OutOfRangeException(failure);
      case "UNIMPLEMENTED" -> new UnimplementedException(failure);
      case "INTERNAL" -> new InternalErrorException(failure);
      case "UNAVAILABLE" -> new UnavailableException(failure);
      case "DATA_LOSS" -> new DataLossException(failure);
      case "UNAUTHENTICATED" -> new UnauthenticatedException(failure);
      default -> new RefusedException(failure);
    };
  }
}
