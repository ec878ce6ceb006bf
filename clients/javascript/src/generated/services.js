// Made by `make generate` from proto/; edit that instead.

import { methods } from './methods.js'

/** @typedef {import('../client.js').Client} Client */
/** @typedef {import('../client.js').CallOptions} CallOptions */

/** The methods of ThreadService: `client.threads`. */
export class ThreadsService {
  #client

  /** @param {Client} client */
  constructor(client) { this.#client = client }

  /**
   * Starts a thread. On a frame connection, its events follow on the same stream.
   * @param {Omit<import('./types.js').StartThreadRequestInit, "subscribe" | "tree">} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').StartThreadResponse>}
   */
  start(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Start"], request, options))
  }

  /**
   * Loads a thread. On a frame connection, its events follow on the same stream.
   * @param {Omit<import('./types.js').ResumeThreadRequestInit, "subscribe" | "tree">} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ResumeThreadResponse>}
   */
  resume(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Resume"], request, options))
  }

  /**
   * Creates a thread that shares another thread's history. On a frame connection, its events follow on the same stream.
   * @param {Omit<import('./types.js').ForkThreadRequestInit, "subscribe" | "tree">} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ForkThreadResponse>}
   */
  fork(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Fork"], request, options))
  }

  /**
   * Reads a thread without loading it.
   * @param {import('./types.js').ReadThreadRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ReadThreadResponse>}
   */
  read(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Read"], request, options))
  }

  /**
   * Lists threads, page by page.
   * @param {import('./types.js').ListThreadsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ListThreadsResponse>}
   */
  list(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/List"], request, options))
  }

  /**
   * All threads of `list`, page after page.
   * @param {import('./types.js').ListThreadsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {AsyncGenerator<import('./types.js').AgentThread, void, void>}
   */
  eachList(request = {}, options = {}) {
    return /** @type {any} */ (this.#client.pages(methods["ThreadService/List"], request, options))
  }

  /**
   * Lists the threads that are loaded on this node, page by page.
   * @param {import('./types.js').ListLoadedThreadsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ListLoadedThreadsResponse>}
   */
  listLoaded(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/ListLoaded"], request, options))
  }

  /**
   * All threads of `listLoaded`, page after page.
   * @param {import('./types.js').ListLoadedThreadsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {AsyncGenerator<Uint8Array, void, void>}
   */
  eachListLoaded(request = {}, options = {}) {
    return /** @type {any} */ (this.#client.pages(methods["ThreadService/ListLoaded"], request, options))
  }

  /**
   * Finds text in items. Not built yet.
   * @param {import('./types.js').SearchThreadsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').SearchThreadsResponse>}
   */
  search(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Search"], request, options))
  }

  /**
   * All hits of `search`, page after page.
   * @param {import('./types.js').SearchThreadsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {AsyncGenerator<import('./types.js').SearchHit, void, void>}
   */
  eachSearch(request = {}, options = {}) {
    return /** @type {any} */ (this.#client.pages(methods["ThreadService/Search"], request, options))
  }

  /**
   * Lists the turns of a thread, page by page.
   * @param {import('./types.js').ListTurnsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ListTurnsResponse>}
   */
  listTurns(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/ListTurns"], request, options))
  }

  /**
   * All turns of `listTurns`, page after page.
   * @param {import('./types.js').ListTurnsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {AsyncGenerator<import('./types.js').Turn, void, void>}
   */
  eachListTurns(request = {}, options = {}) {
    return /** @type {any} */ (this.#client.pages(methods["ThreadService/ListTurns"], request, options))
  }

  /**
   * Lists the items of a thread, page by page.
   * @param {import('./types.js').ListItemsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ListItemsResponse>}
   */
  listItems(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/ListItems"], request, options))
  }

  /**
   * All items of `listItems`, page after page.
   * @param {import('./types.js').ListItemsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {AsyncGenerator<import('./types.js').ListedItem, void, void>}
   */
  eachListItems(request = {}, options = {}) {
    return /** @type {any} */ (this.#client.pages(methods["ThreadService/ListItems"], request, options))
  }

  /**
   * Names a thread.
   * @param {import('./types.js').SetThreadNameRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').SetThreadNameResponse>}
   */
  setName(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/SetName"], request, options))
  }

  /**
   * Archives a thread and its tree.
   * @param {import('./types.js').ArchiveThreadRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ArchiveThreadResponse>}
   */
  archive(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Archive"], request, options))
  }

  /**
   * Unarchives a thread and its tree.
   * @param {import('./types.js').UnarchiveThreadRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').UnarchiveThreadResponse>}
   */
  unarchive(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Unarchive"], request, options))
  }

  /**
   * Deletes a thread and its tree.
   * @param {import('./types.js').DeleteThreadRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').DeleteThreadResponse>}
   */
  delete(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Delete"], request, options))
  }

  /**
   * Removes the last turns from the context and the turn list.
   * @param {import('./types.js').RollbackThreadRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').RollbackThreadResponse>}
   */
  rollback(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Rollback"], request, options))
  }

  /**
   * Replaces the context with a summary.
   * @param {import('./types.js').CompactThreadRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').CompactThreadResponse>}
   */
  compact(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Compact"], request, options))
  }

  /**
   * Adds items to the history without a turn. Not built yet.
   * @param {import('./types.js').InjectItemsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').InjectItemsResponse>}
   */
  injectItems(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/InjectItems"], request, options))
  }

  /**
   * Reads a thread's stored events. Not built yet.
   * @param {import('./types.js').ExportThreadRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ExportThreadResponse>}
   */
  export(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ThreadService/Export"], request, options))
  }
}

/** The methods of TurnService: `client.turns`. */
export class TurnsService {
  #client

  /** @param {Client} client */
  constructor(client) { this.#client = client }

  /**
   * Starts a turn, or queues it.
   * @param {import('./types.js').StartTurnRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').StartTurnResponse>}
   */
  start(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["TurnService/Start"], request, options))
  }

  /**
   * Adds input to a running turn.
   * @param {import('./types.js').SteerTurnRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').SteerTurnResponse>}
   */
  steer(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["TurnService/Steer"], request, options))
  }

  /**
   * Interrupts a running turn.
   * @param {import('./types.js').InterruptTurnRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').InterruptTurnResponse>}
   */
  interrupt(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["TurnService/Interrupt"], request, options))
  }

  /**
   * Lists the queued turns.
   * @param {import('./types.js').ListQueueRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ListQueueResponse>}
   */
  listQueue(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["TurnService/ListQueue"], request, options))
  }

  /**
   * Removes a turn from the queue.
   * @param {import('./types.js').CancelQueuedTurnRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').CancelQueuedTurnResponse>}
   */
  cancelQueued(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["TurnService/CancelQueued"], request, options))
  }
}

/** The methods of SettingsService: `client.settings`. */
export class SettingsService {
  #client

  /** @param {Client} client */
  constructor(client) { this.#client = client }

  /**
   * Returns the settings for the next turn.
   * @param {import('./types.js').ReadSettingsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ReadSettingsResponse>}
   */
  read(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["SettingsService/Read"], request, options))
  }

  /**
   * Changes settings for the next turn; allowed while a turn is running.
   * @param {import('./types.js').UpdateSettingsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').UpdateSettingsResponse>}
   */
  update(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["SettingsService/Update"], request, options))
  }
}

/** The methods of AgentService: `client.agents`. */
export class AgentsService {
  #client

  /** @param {Client} client */
  constructor(client) { this.#client = client }

  /**
   * Returns the whole tree.
   * @param {import('./types.js').ListTreeRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ListTreeResponse>}
   */
  listTree(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["AgentService/ListTree"], request, options))
  }

  /**
   * Interrupts the running turn of an agent.
   * @param {import('./types.js').InterruptAgentRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').InterruptAgentResponse>}
   */
  interrupt(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["AgentService/Interrupt"], request, options))
  }

  /**
   * Closes an agent and all agents below it.
   * @param {import('./types.js').CloseAgentRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').CloseAgentResponse>}
   */
  close(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["AgentService/Close"], request, options))
  }
}

/** The methods of CatalogService: `client.catalog`. */
export class CatalogService {
  #client

  /** @param {Client} client */
  constructor(client) { this.#client = client }

  /**
   * Lists the models.
   * @param {import('./types.js').ListModelsRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ListModelsResponse>}
   */
  listModels(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["CatalogService/ListModels"], request, options))
  }

  /**
   * Lists the features.
   * @param {import('./types.js').ListFeaturesRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ListFeaturesResponse>}
   */
  listFeatures(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["CatalogService/ListFeatures"], request, options))
  }

  /**
   * Turns a feature on or off.
   * @param {import('./types.js').SetFeatureRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').SetFeatureResponse>}
   */
  setFeature(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["CatalogService/SetFeature"], request, options))
  }
}

/** The methods of ServerService: `client.server`. */
export class ServerService {
  #client

  /** @param {Client} client */
  constructor(client) { this.#client = client }

  /**
   * Returns the server's status.
   * @param {import('./types.js').ServerStatusRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ServerStatusResponse>}
   */
  status(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ServerService/Status"], request, options))
  }

  /**
   * Starts recording frames.
   * @param {import('./types.js').StartCaptureRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').StartCaptureResponse>}
   */
  startCapture(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ServerService/StartCapture"], request, options))
  }

  /**
   * Stops the recording.
   * @param {import('./types.js').StopCaptureRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').StopCaptureResponse>}
   */
  stopCapture(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ServerService/StopCapture"], request, options))
  }

  /**
   * Returns the state of the recording.
   * @param {import('./types.js').ReadCaptureRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').ReadCaptureResponse>}
   */
  readCapture(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["ServerService/ReadCapture"], request, options))
  }
}

/** The methods of CallService: `client.calls`. */
export class CallsService {
  #client

  /** @param {Client} client */
  constructor(client) { this.#client = client }

  /**
   * Answers a call of the server. Any connection of the tenant may answer; the first answer counts.
   * @param {import('./types.js').AnswerCallRequestInit} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<import('./types.js').AnswerCallResponse>}
   */
  answer(request = {}, options = {}) {
    return /** @type {Promise<any>} */ (this.#client.call(methods["CallService/Answer"], request, options))
  }
}
