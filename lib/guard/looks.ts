/**
 * The pins that this process looks at now: which of them may be answered early, and which wait.
 *
 * @module
 */

/** A look at a pin, from before its codes are computed until it is decided. */
export interface Look {
  /**
   * Whether the current step may be computed and decided first. Only for the first look at a secret of
   * which nothing is remembered: nothing can hold its answer back.
   */
  readonly mayBeEarly: boolean;
  /** Resolves when the pin may be decided; undefined when it may be at once. */
  readonly turn: Promise<void> | undefined;
  /** Ends it; the pin was decided. */
  readonly end: () => void;
}

/** A look where others decide as well, so that nobody knows which comes first. */
export const SHARED_LOOK: Look = { mayBeEarly: false, turn: undefined, end: () => {} };

interface Open {
  /** Looks that have not ended. */
  looks: number;
  /** Resolves when the one that may be early was decided. */
  readonly first: Promise<void> | undefined;
}

/**
 * Looks at pins, by the names of their secrets.
 *
 * A right pin that is decided early would pass the wrong ones that came before it, and so be looked
 * at although the limit was meant for those. So while a pin of a secret is looked at, every step is
 * computed for all others of it, and none is decided before the first.
 */
export class Looks {
  readonly #open = new Map<string, Open>();

  /**
   * Begins one.
   *
   * @param isKnown Whether something is remembered of the secret.
   */
  begin(fingerprint: string, isKnown: boolean): Look {
    const before = this.#open.get(fingerprint);
    const mayBeEarly = before === undefined && !isKnown;
    const first = mayBeEarly ? Promise.withResolvers<void>() : undefined;
    const open: Open = before ?? { looks: 0, first: first?.promise };
    open.looks++;
    this.#open.set(fingerprint, open);
    const end = (): void => {
      first?.resolve();
      open.looks--;
      if (open.looks === 0) this.#open.delete(fingerprint);
    };
    return { mayBeEarly, turn: before?.first, end };
  }
}
