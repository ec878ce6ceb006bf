package dev.heddle;

/**
 * A method of the server.
 *
 * @param keyed the server keeps one result for each key, so a repetition happens once
 * @param repeatable a call that may have been served can be sent again
 */
record Method(int number, String path, boolean keyed, boolean repeatable) {}
