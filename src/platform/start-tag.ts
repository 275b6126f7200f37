/**
 * Set in the environment of every program that a host starts on Linux, and inherited by what that program starts: a
 * process that leaves its group and loses its parents is still found by it (FI-90).
 */
export const startTagVariable = 'PLUGBOARD_STARTED'

/** How many hosts may be nested, each in a server of the one before, until the outermost no longer finds everything. */
const maxTags = 8

/** A new tag for one start. It only has to be unique: a process that copies it gets no rights, it is only ended. */
export function newStartTag(): string {
  const part = () => Math.random().toString(36).slice(2, 12).padEnd(10, '0')
  return part() + part()
}

/** The value of the variable: the tags of the hosts that this one runs in, then its own. */
export function withStartTag(outer: string | undefined, tag: string): string {
  return [...parseStartTags(outer ?? '').slice(1 - maxTags), tag].join(':')
}

export function parseStartTags(value: string): readonly string[] {
  return value.split(':').filter((tag) => /^\w{1,64}$/.test(tag))
}
