// The inputs of a chat, and the effects that they have.

import HeddleClient
import HeddleCore

public enum ChatInput: Equatable, Sendable {
  /// A line was entered.
  case line(String)
  /// A key was pressed that is not Ctrl-C.
  case typed
  /// Ctrl-C.
  case interrupt
  /// Ctrl-D, or no line follows.
  case leave
  case message(ThreadID, SubscriptionEvent)
  /// The server follows this thread for us no more.
  case unfollowed(ThreadID, HeddleError)
  case answered(ChatCall, Result<Response, HeddleError>)
  /// The server asks the person; the number names the question until it is withdrawn.
  case asked(UInt64, RequestUserInputRequest)
  case withdrawn(UInt64)
  case connection(ConnectionChange)
  /// So long has the chat run; comes before all that happens at that moment.
  case time(Duration)
}

/// Whether there is a connection.
public enum ConnectionChange: Equatable, Sendable {
  case connected
  /// There is none any more.
  case lost(HeddleError)
}

public enum ChatEffect: Equatable, Sendable {
  case show(ChatOutput)
  case call(ChatCall)
  case follow(ThreadID, after: UInt64)
  /// Followed threads are of interest no more.
  case unfollowAll
  case answer(UInt64, RequestUserInputResponse)
  case decline(UInt64)
  case leave(status: Int32)
}

/// A request and what its answer is for.
public struct ChatCall: Equatable, Sendable {
  public enum Purpose: Equatable, Sendable {
    case open, history, send, act, agents, showAgents, agent, queue, showQueue, models, threads
  }

  public var purpose: Purpose
  public var request: Request

  public init(_ purpose: Purpose, _ request: Request) {
    self.purpose = purpose
    self.request = request
  }
}
