"use strict";

const { errorOf } = require("./errors.js");

/**
 * Reads a run of the native half batch by batch, for iterators of both kinds. All iterators of a
 * reader share it: each item reaches one of them.
 *
 * A run has `next()` and `nextSync()`, which return steps, and `close()`. `unpack` turns a step into
 * items, and `isLast` states whether a step ends the run.
 */
class Reader {
  #run;
  #unpack;
  #isLast;
  #signal;
  #items = [];
  #at = 0;
  #isOver = false;
  /** The step that is waited for. */
  #pending;
  #onAbort;

  constructor(run, { unpack, isLast, signal }) {
    this.#run = run;
    this.#unpack = unpack;
    this.#isLast = isLast;
    this.#signal = signal;
    if (signal !== undefined) {
      this.#onAbort = () => {
        this.#drop();
        run.close();
      };
      signal.addEventListener("abort", this.#onAbort, { once: true });
    }
  }

  #drop() {
    this.#items = [];
    this.#at = 0;
  }

  /** Takes a step, and throws what ends the run. */
  #take(step) {
    this.#at = 0;
    this.#items = this.#unpack(step);
    if (this.#signal?.aborted) this.#drop();
    if (!this.#isLast(step)) return;
    this.#isOver = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    if (this.#signal?.aborted) throw this.#signal.reason;
    if (step.problem !== undefined) throw errorOf(step.problem);
  }

  /** Waits for the next step; several callers wait for the same one. */
  #receive() {
    this.#pending ??= this.#run.next().then(
      (step) => {
        this.#pending = undefined;
        this.#take(step);
      },
      (error) => {
        this.#pending = undefined;
        this.#isOver = true;
        throw error;
      },
    );
    return this.#pending;
  }

  async #nextLater() {
    while (this.#at === this.#items.length) {
      if (this.#isOver) return { done: true, value: undefined };
      await this.#receive();
    }
    return { done: false, value: this.#items[this.#at++] };
  }

  nextSync() {
    while (this.#at === this.#items.length) {
      if (this.#isOver) return { done: true, value: undefined };
      if (this.#pending !== undefined) {
        throw new Error("the next items are awaited: they cannot be read synchronously too");
      }
      this.#take(this.#run.nextSync());
    }
    return { done: false, value: this.#items[this.#at++] };
  }

  next() {
    if (this.#at < this.#items.length) {
      return Promise.resolve({ done: false, value: this.#items[this.#at++] });
    }
    return this.#nextLater();
  }

  /** Ends the run and drops what was not read; the promise resolves once its threads have ended. */
  async close() {
    this.#run.close();
    this.#drop();
    while (!this.#isOver) {
      // A run that is closed reports no errors.
      await this.#receive().catch(() => {});
      this.#drop();
    }
  }

  /** Does the same, and waits. Where a step is awaited, that one ends the run. */
  closeSync() {
    this.#run.close();
    this.#drop();
    while (!this.#isOver && this.#pending === undefined) {
      try {
        this.#take(this.#run.nextSync());
      } catch {
        // A run that is closed reports no errors.
      }
      this.#drop();
    }
  }

  iterator() {
    return {
      next: () => this.nextSync(),
      return: (value) => {
        this.closeSync();
        return { done: true, value };
      },
      [Symbol.iterator]() {
        return this;
      },
    };
  }

  asyncIterator() {
    return {
      next: () => this.next(),
      return: async (value) => {
        await this.close();
        return { done: true, value };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }
}

module.exports = { Reader };
