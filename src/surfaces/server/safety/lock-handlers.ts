import { HostError } from '../../../index.ts'
import { isObject, readAcceptance } from '../../../internal.ts'
import { describeAcceptanceMode } from '../../facts/definitions/acceptance-facts.ts'
import { describeHeld, describeRemoved, heldItems, removedItems } from '../../facts/definitions/held-facts.ts'
import type { HeldItem, RemovedItem } from '../../facts/definitions/held-facts.ts'
import { heldLines, removedLines } from '../../facts/definitions/held-lines.ts'
import { describeLocks } from '../../facts/definitions/lock-file-facts.ts'
import { describeState } from '../../facts/state-facts.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { createStyle } from '../../terminal/style.ts'
import type { CodeSubject } from '../code-subjects.ts'
import type { Handlers } from '../handler.ts'
import type { ServeContext } from '../serve-context.ts'
import { shortener } from '../servers/shown-paths.ts'
import type { ShownSubject } from '../servers/trust-handlers.ts'

/** What is held back. A page can look at it and reject it; to accept it needs the code of the terminal (T37, T48). */
export const lockHandlers = {
  'GET /api/lock': async (context) => {
    await context.host.ready({ from: 'disk' })
    return {
      held: heldItems(context.host).map(describeHeld),
      removed: removedItems(context.host).map(describeRemoved),
      locks: describeLocks(context.host.discovery, shortener(context)),
      acceptance: describeAcceptanceMode(
        await readAcceptance({ ...context.discover, cwd: context.cwd }),
        shortener(context),
      ),
      notes: notesOf(context),
    }
  },

  'POST /api/lock/accept': async (context, { body }) => {
    const { server, kind, hash, request, code } = body
    const gone = findRemoved(context, { server, kind, hash })
    const item = gone ?? findAcceptable(context, { server, kind, hash })
    const about: CodeSubject = { for: 'accept', subject: server, about: { kind, hash } }
    const command =
      'current' in item ? describeHeld(item).commands.accept : describeRemoved(item).commands.forget
    context.codes.use({ request, code, about, command })
    const { refused } = await context.host.accept(server, [{ kind, name: item.name, hash }])
    for (const { why } of refused) throw refusal(item, why)
    return answerOf(context)
  },

  'POST /api/lock/reject': async (context, { body }) => {
    const { server, kind, hash } = body
    const item = findHeld(context, { server, kind, hash })
    const { refused } = await context.host.reject(server, [{ kind, name: item.name, hash }])
    for (const { why } of refused) throw refusal(item, why)
    return answerOf(context)
  },
} satisfies Partial<Handlers>

/** What is still held; other pages are told the number. */
async function answerOf({ host, feed, counts }: ServeContext) {
  feed.publish({ type: 'counts.changed', counts: await counts() })
  return {
    held: heldItems(host).map(describeHeld),
    removed: removedItems(host).map(describeRemoved),
  }
}

/** What a code would allow, as the terminal prints it: the whole difference, because the page may lie about it. */
export function describeAcceptance(context: ServeContext, { subject, about }: CodeSubject): ShownSubject {
  const { kind, hash } = isObject(about) ? about : {}
  const style = createStyle({ env: {}, isTTY: false })
  const canvas = { style, width: undefined }
  const gone = findRemoved(context, { server: subject, kind, hash })
  if (gone) {
    const facts = describeRemoved(gone)
    return {
      lines: [`The page asks to forget a definition of "${facts.server}":`, ...removedLines(facts, canvas)],
      summary: `to forget ${facts.title}, so that it is new if it comes back.`,
      command: facts.commands.forget,
    }
  }
  const facts = describeHeld(findAcceptable(context, { server: subject, kind, hash }))
  return {
    lines: [`The page asks to accept a definition of "${facts.server}":`, ...heldLines(facts, canvas)],
    summary: `to accept ${facts.title}, so that models get it as shown.`,
    command: facts.commands.accept,
  }
}

interface HeldSubject {
  readonly server: string
  readonly kind: unknown
  readonly hash: unknown
}

/** No code is shown, or used up, for what the host would refuse. */
function findAcceptable(context: ServeContext, subject: HeldSubject): HeldItem {
  const item = findHeld(context, subject)
  const { canAccept, why, server } = describeHeld(item)
  if (canAccept) return item
  throw new HostError('trust.refused', { server }, why)
}

/** What was accepted and is not offered any more, by the hash of the accepted definition. */
function findRemoved({ host }: ServeContext, { server, kind, hash }: HeldSubject): RemovedItem | undefined {
  return removedItems(host).find(
    (item) => item.server === server && item.kind === kind && item.accepted.hash === hash,
  )
}

/** By the hash of its definition: another definition needs another decision. */
function findHeld({ host }: ServeContext, { server, kind, hash }: HeldSubject): HeldItem {
  const found = heldItems(host).find(
    (item) => item.server === server && item.kind === kind && item.current.hash === hash,
  )
  if (found) return found
  throw new HostError('trust.refused', { server }, 'This definition is not held, or it has changed since.', {
    hint: 'Look at it again.',
  })
}

const refusals = {
  changed: 'It has changed since it was shown.',
  unknown: 'It is not held any more.',
  quarantined: 'It has a critical finding, which cannot be accepted.',
} as const

function refusal({ server }: Pick<HeldItem, 'server'>, why: keyof typeof refusals): HostError {
  return new HostError('trust.refused', { server }, refusals[why], { hint: 'Look at it again.' })
}

/** Nothing can be said about offers that are not known. */
function notesOf({ host, running }: ServeContext): readonly string[] {
  return host
    .servers()
    .filter(({ isKnown, status }) => !isKnown && status.state !== 'disabled')
    .map(({ name, server, status }) => {
      const { sentence, word } = describeState({ name, server, status, unlisted: running.unlistedOf(name) })
      return escapeLine(`${name}: ${sentence ?? word}`)
    })
}
