/**
 * Set in the environment of every program that a host starts, and inherited by what that program starts. On Linux a
 * process that leaves its group and loses its parents is still found by it (FI-90); everywhere a gateway learns from it
 * that it was started as a server of a host.
 */
export const startTagVariable = 'PLUGBOARD_STARTED'

/** How many hosts may be nested, each in a server of the one before, until the outermost no longer finds everything. */
const maxTags = 8

/** Digits of the process id of the starter, which a tag begins with. */
const starterDigits = 7

/**
 * A new tag for one start: who starts, then something random. It only has to be unique: a process that copies it gets no
 * rights, it is only ended.
 */
export function newStartTag(): string {
  const part = (length: number) =>
    Math.random()
      .toString(36)
      .slice(2, 2 + length)
      .padEnd(length, '0')
  return process.pid.toString(36).padStart(starterDigits, '0') + part(7) + part(6)
}

/** The process id of the host that made a tag. */
export function starterOf(tag: string): number | undefined {
  return /^[0-9a-z]{20}$/.test(tag) ? Number.parseInt(tag.slice(0, starterDigits), 36) : undefined
}

/** The value of the variable: the tags of the hosts that this one runs in, then its own. */
export function withStartTag(outer: string | undefined, tag: string): string {
  return [...parseStartTags(outer ?? '').slice(1 - maxTags), tag].join(':')
}

export function parseStartTags(value: string): readonly string[] {
  return value.split(':').filter((tag) => /^\w{1,64}$/.test(tag))
}
