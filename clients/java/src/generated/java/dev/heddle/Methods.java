// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

import java.util.HashMap;
import java.util.Map;

/** The methods of the server. */
final class Methods {
  static final String SCHEMA_HASH = "7a5afdadcf3c350e";

  static final Method THREAD_START = new Method(101, "ThreadService/Start", true, true);
  static final Method THREAD_RESUME = new Method(102, "ThreadService/Resume", true, true);
  static final Method THREAD_FORK = new Method(103, "ThreadService/Fork", true, true);
  static final Method THREAD_READ = new Method(104, "ThreadService/Read", false, true);
  static final Method THREAD_LIST = new Method(105, "ThreadService/List", false, true);
  static final Method THREAD_LIST_LOADED = new Method(106, "ThreadService/ListLoaded", false, true);
  static final Method THREAD_SEARCH = new Method(107, "ThreadService/Search", false, true);
  static final Method THREAD_LIST_TURNS = new Method(108, "ThreadService/ListTurns", false, true);
  static final Method THREAD_LIST_ITEMS = new Method(109, "ThreadService/ListItems", false, true);
  static final Method THREAD_SET_NAME = new Method(110, "ThreadService/SetName", true, true);
  static final Method THREAD_ARCHIVE = new Method(111, "ThreadService/Archive", true, true);
  static final Method THREAD_UNARCHIVE = new Method(112, "ThreadService/Unarchive", true, true);
  static final Method THREAD_DELETE = new Method(113, "ThreadService/Delete", true, true);
  static final Method THREAD_ROLLBACK = new Method(114, "ThreadService/Rollback", true, true);
  static final Method THREAD_COMPACT = new Method(115, "ThreadService/Compact", true, true);
  static final Method THREAD_INJECT_ITEMS = new Method(116, "ThreadService/InjectItems", true, true);
  static final Method THREAD_EXPORT = new Method(117, "ThreadService/Export", false, true);
  static final Method THREAD_SUBSCRIBE = new Method(118, "ThreadService/Subscribe", false, true);
  static final Method THREAD_UNSUBSCRIBE = new Method(119, "ThreadService/Unsubscribe", false, true);
  static final Method TURN_START = new Method(201, "TurnService/Start", true, true);
  static final Method TURN_STEER = new Method(202, "TurnService/Steer", true, true);
  static final Method TURN_INTERRUPT = new Method(203, "TurnService/Interrupt", true, true);
  static final Method TURN_LIST_QUEUE = new Method(204, "TurnService/ListQueue", false, true);
  static final Method TURN_CANCEL_QUEUED = new Method(205, "TurnService/CancelQueued", true, true);
  static final Method SETTINGS_READ = new Method(301, "SettingsService/Read", false, true);
  static final Method SETTINGS_UPDATE = new Method(302, "SettingsService/Update", true, true);
  static final Method AGENT_LIST_TREE = new Method(401, "AgentService/ListTree", false, true);
  static final Method AGENT_INTERRUPT = new Method(402, "AgentService/Interrupt", true, true);
  static final Method AGENT_CLOSE = new Method(403, "AgentService/Close", true, true);
  static final Method CATALOG_LIST_MODELS = new Method(501, "CatalogService/ListModels", false, true);
  static final Method CATALOG_LIST_FEATURES = new Method(502, "CatalogService/ListFeatures", false, true);
  static final Method CATALOG_SET_FEATURE = new Method(503, "CatalogService/SetFeature", true, true);
  static final Method SERVER_STATUS = new Method(601, "ServerService/Status", false, true);
  static final Method SERVER_START_CAPTURE = new Method(602, "ServerService/StartCapture", false, false);
  static final Method SERVER_STOP_CAPTURE = new Method(603, "ServerService/StopCapture", false, false);
  static final Method SERVER_READ_CAPTURE = new Method(604, "ServerService/ReadCapture", false, true);
  static final Method CALL_ANSWER = new Method(801, "CallService/Answer", true, true);

  // The methods that the server calls on a client.
  static final int CALL_TOOL = 701;
  static final int REQUEST_USER_INPUT = 702;

  private static final Map<String, Method> BY_PATH = new HashMap<>();

  static {
    for (Method method : new Method[] {
      THREAD_START,
      THREAD_RESUME,
      THREAD_FORK,
      THREAD_READ,
      THREAD_LIST,
      THREAD_LIST_LOADED,
      THREAD_SEARCH,
      THREAD_LIST_TURNS,
      THREAD_LIST_ITEMS,
      THREAD_SET_NAME,
      THREAD_ARCHIVE,
      THREAD_UNARCHIVE,
      THREAD_DELETE,
      THREAD_ROLLBACK,
      THREAD_COMPACT,
      THREAD_INJECT_ITEMS,
      THREAD_EXPORT,
      THREAD_SUBSCRIBE,
      THREAD_UNSUBSCRIBE,
      TURN_START,
      TURN_STEER,
      TURN_INTERRUPT,
      TURN_LIST_QUEUE,
      TURN_CANCEL_QUEUED,
      SETTINGS_READ,
      SETTINGS_UPDATE,
      AGENT_LIST_TREE,
      AGENT_INTERRUPT,
      AGENT_CLOSE,
      CATALOG_LIST_MODELS,
      CATALOG_LIST_FEATURES,
      CATALOG_SET_FEATURE,
      SERVER_STATUS,
      SERVER_START_CAPTURE,
      SERVER_STOP_CAPTURE,
      SERVER_READ_CAPTURE,
      CALL_ANSWER,
    }) {
      BY_PATH.put(method.path(), method);
    }
  }

  private Methods() {}

  /** The method of a path such as `ThreadService/Read`, or null. */
  static Method of(String path) {
    return BY_PATH.get(path);
  }
}
