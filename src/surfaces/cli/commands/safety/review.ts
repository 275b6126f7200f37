import type { Host } from '../../../../index.ts'
import type { HeldFacts, RemovedFacts } from '../../../api/lock-routes.ts'
import {
  describeHeld,
  describeRemoved,
  heldItems,
  heldTitle,
  heldWord,
  isWaiting,
  removedItems,
} from '../../../facts/definitions/held-facts.ts'
import type { HeldItem, RemovedItem } from '../../../facts/definitions/held-facts.ts'
import { heldLines, removedLines } from '../../../facts/definitions/held-lines.ts'
import type { AcceptanceFacts } from '../../../api/lock-routes.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { withoutHeldTexts } from '../../../facts/findings/withheld-texts.ts'
import { acceptanceFor } from '../../acceptance-note.ts'
import { agentVariable, whyNoPerson, whyWithheld, withheldNote } from '../../agent-environment.ts'
import { promptsOf, setExit } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { narrowToScope } from '../../discover-servers.ts'
import { EarlyExit, drawFault, exitOf, faultOf, usage } from '../../errors.ts'
import type { Exit } from '../../exit-codes.ts'
import { count } from '../../output/draw.ts'
import { maskFields } from '../../output/masked-output.ts'
import { checkName, deadlineOf, withHost, withoutSecrets } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { learnOffers } from './learn-offers.ts'

export interface ReviewFlags extends WaitFlags {
  readonly noStart?: boolean
  readonly noTexts?: boolean
  readonly accept?: string
  readonly reject?: string
  readonly hash?: string
}

type Decision = 'accept' | 'reject'

/** A decision that was carried out. */
interface Decided {
  readonly server: string
  readonly kind: HeldItem['kind']
  readonly name: string
  readonly hash: string
  readonly decision: 'accepted' | 'rejected' | 'forgotten'
}

/**
 * Shows what is held back, with what changed, and asks about each. Without a terminal of a person it only shows (T48): a
 * script names the exact definition by its hash, and an agent cannot accept at all.
 */
export async function review(cli: Cli, flags: ReviewFlags, ...names: readonly string[]): Promise<void> {
  checkUsage(flags, names)
  await withHost(
    cli,
    flags,
    async (context) => {
      const { items, removed, unasked } = await findHeld(context, flags, names)
      const withheld = whyWithheld(cli, flags)
      const acceptance = await acceptanceFor(cli, flags, context.output.notes)
      const session = new ReviewSession(cli, context, { removed, unasked, withheld, acceptance })
      const by = flags.accept === undefined ? 'reject' : 'accept'
      const named = flags.accept ?? flags.reject
      if (named !== undefined) await session.decideNamed(items, { by, named, hash: flags.hash ?? '' })
      else if (!flags.json && withheld === undefined && whyNoPerson(cli) === undefined)
        await session.ask(items)
      else session.show(items, flags)
    },
    { mayAsk: true },
  )
}

function checkUsage({ accept, reject, hash }: ReviewFlags, names: readonly string[]): void {
  if (accept !== undefined && reject !== undefined) throw usage('Use either --accept or --reject.')
  const isNamed = accept !== undefined || reject !== undefined
  if (isNamed && hash === undefined)
    throw usage('--accept and --reject need --hash: the hash that "plugboard review" shows.')
  if (!isNamed && hash !== undefined) throw usage('--hash needs --accept or --reject.')
  if (isNamed && names.length !== 1) throw usage('--accept and --reject need the name of exactly one server.')
}

/** The held offers of the named servers, or of all, as they are offered now. A server that cannot be asked is told. */
async function findHeld(
  context: HostContext,
  flags: ReviewFlags,
  names: readonly string[],
): Promise<NotOffered & { readonly items: readonly HeldItem[] }> {
  const { host, waitLine } = context
  const named = await Promise.all(names.map((name) => checkName(host, flags, name)))
  const usable = narrowToScope(host.discovery, flags.scope).servers.filter(
    (server) => server.enabled && host.discovery.trust.get(server) === 'trusted',
  )
  const servers = named.length > 0 ? named : usable.map(({ name }) => name)
  const unasked = flags.noStart
    ? await readKnown(servers, context)
    : (await Promise.all(servers.map((name) => readOffers(name, context)))).flat()
  waitLine.show('')
  const isMeant = ({ server }: Pick<HeldItem, 'server'>) => servers.includes(server)
  return { items: heldItems(host).filter(isMeant), removed: removedItems(host).filter(isMeant), unasked }
}

/** What is not among the held offers, and is said beside them. */
interface NotOffered {
  /** What was accepted and is not offered any more. It waits for no decision. */
  readonly removed: readonly RemovedItem[]
  /** Servers that could not be asked what they offer. */
  readonly unasked: readonly UnaskedServer[]
}

interface UnaskedServer {
  readonly server: string
  /** Absent if it was not to be asked. */
  readonly exit?: Exit
}

/** From disk only. A server that is not known there is not asked. */
async function readKnown(
  servers: readonly string[],
  { host, output }: HostContext,
): Promise<readonly UnaskedServer[]> {
  await host.ready({ from: 'disk' })
  const unknown = servers.filter((name) => host.definitions(name) === undefined)
  for (const name of unknown) output.warn(`${name} was not asked what it offers: nothing is started.`)
  return unknown.map((server) => ({ server }))
}

/** Returns the server if it could not be asked. */
async function readOffers(name: string, context: HostContext): Promise<readonly UnaskedServer[]> {
  const { host, output, signal } = context
  try {
    await learnOffers(name, context)
    // Documents of apps are in no list: reading one tells whether it is held.
    const apps = new Map(
      host
        .tools()
        .flatMap(({ server, app, ref }) => (server === name && app !== undefined ? [[app, ref]] : [])),
    )
    for (const ref of apps.values())
      await host.readApp(ref, { signal: deadlineOf(context) }).catch(() => undefined)
    return []
  } catch (error) {
    signal.throwIfAborted()
    const reason = withoutSecrets(error, host)
    output.warn(`${name} was not asked what it offers: ${drawFault(faultOf(reason))}`)
    return [{ server: name, exit: exitOf(reason) }]
  }
}

interface ReviewFacts extends NotOffered {
  readonly withheld: string | undefined
  readonly acceptance: AcceptanceFacts
}

/** The decisions of one run. Each is carried out at once: stopping keeps those before. */
class ReviewSession {
  readonly #cli: Cli
  readonly #host: Pick<Host, 'held' | 'accept' | 'reject' | 'redactName'>
  readonly #output: Output
  readonly #removed: readonly RemovedItem[]
  readonly #unasked: readonly UnaskedServer[]
  readonly #withheld: string | undefined
  readonly #acceptance: AcceptanceFacts
  readonly #decided: Decided[] = []

  constructor(
    cli: Cli,
    { host, output }: Pick<HostContext, 'host' | 'output'>,
    { removed, unasked, withheld, acceptance }: ReviewFacts,
  ) {
    this.#cli = cli
    this.#host = host
    this.#output = output
    this.#removed = removed
    this.#unasked = unasked
    this.#withheld = withheld
    this.#acceptance = acceptance
  }

  /** Unless a decision, or what waits for one, has set another: a review that could not see everything is not complete. */
  #exitIncomplete(): void {
    const [exit] = this.#unasked.flatMap((each) => each.exit ?? [])
    if (exit && this.#cli.process.exitCode === undefined) setExit(this.#cli, exit)
  }

  /** As it is shown: a name may hold a secret, which a line end could divide later. */
  #held(item: HeldItem): HeldFacts {
    const facts = maskFields(describeHeld(item), this.#host)
    return this.#withheld === undefined ? facts : withoutHeldTexts(facts)
  }

  #gone(item: RemovedItem): RemovedFacts {
    return maskFields(describeRemoved(item), this.#host)
  }

  get #withheldField(): { readonly withheld?: true } {
    return this.#withheld === undefined ? {} : { withheld: true }
  }

  /** Says no more than is known: a server that was not asked may offer anything. */
  get #nothing(): string {
    const names = this.#unasked.map(({ server }) => escapeLine(server)).join(', ')
    const { sentence } = this.#acceptance
    const unasked = names === '' ? '' : ` Not asked: ${names}.`
    if (sentence !== undefined) return `Nothing is held. ${sentence}${unasked}`
    return unasked === ''
      ? 'Nothing is held: every definition is the accepted one.'
      : `Nothing that is known is held.${unasked}`
  }

  /** Shows everything, and how a script decides. */
  show(items: readonly HeldItem[], { json = false }: ReviewFlags): void {
    const held = items.map((item) => this.#held(item))
    const removed = this.#removed.map((item) => this.#gone(item))
    const unasked = this.#unasked.map(({ server }) => server)
    const isWithheld = this.#withheld !== undefined
    const acceptance = this.#acceptance
    this.#output.result({ held, removed, unasked, acceptance, ...this.#withheldField }, (canvas) =>
      [
        ...(held.length === 0
          ? [this.#nothing]
          : held.map((each) => heldLines(each, canvas, { isWithheld }).join('\n'))),
        ...removed.map((each) => removedLines(each, canvas).join('\n')),
      ].join('\n\n'),
    )
    const waiting = held.filter((each) => each.isWaiting)
    if (waiting.length === 0) return this.#exitIncomplete()
    setExit(this.#cli, 'untrusted')
    if (json) return
    if (this.#withheld !== undefined) this.#output.note(withheldNote(this.#withheld))
    const [first] = waiting.filter(({ canAccept }) => canAccept)
    const how = first ? ` In a script, name the exact definition: ${first.commands.accept}` : ''
    this.#output.note(`Nothing was decided. ${whyNoPerson(this.#cli) ?? ''}${how}`)
  }

  async decideNamed(
    items: readonly HeldItem[],
    { by, named, hash }: { readonly by: Decision; readonly named: string; readonly hash: string },
  ): Promise<void> {
    // The agent whose tools these are could run this command (T48). To reject only narrows what it gets.
    const agent = by === 'accept' ? agentVariable(this.#cli) : undefined
    if (agent !== undefined)
      throw new EarlyExit(
        'untrusted',
        `Nothing was accepted: an agent runs this command (${agent} is set). Use a terminal of your own.`,
      )
    const gone = this.#removed.find(
      (item) => by === 'accept' && heldWord(item) === named && item.accepted.hash === hash,
    )
    if (gone) {
      await this.#forget(gone)
      return this.#finish(items)
    }
    const called = items.filter((item) => heldWord(item) === named)
    if (called.length === 0)
      throw new EarlyExit('unknown', `Nothing called "${escapeLine(named)}" is held. See: plugboard review`)
    const item = called.find(({ current }) => current.hash === hash)
    if (!item)
      throw new EarlyExit(
        'conflict',
        `"${escapeLine(named)}" has changed since it was shown: its hash is ${called[0]?.current.hash}. Look at it again: plugboard review`,
      )
    await this.#decide(item, by)
    this.#finish(items)
  }

  async ask(items: readonly HeldItem[]): Promise<void> {
    const open = items.filter(isWaiting)
    const decided = items.filter((item) => !isWaiting(item))
    if (items.length === 0) this.#output.text(() => this.#nothing)
    else if (open.length === 0) this.#output.text(() => 'Nothing waits for a decision.')
    for (const item of decided) {
      const { title, why } = this.#held(item)
      this.#output.note(`${title} stays held. ${why}`)
    }
    for (const server of new Set(open.map((item) => item.server))) {
      const own = open.filter((item) => item.server === server)
      if (await this.#askServer(server, own)) continue
      setExit(this.#cli, 'cancelled')
      return this.#finish(items)
    }
    await this.#askRemoved()
    this.#finish(items, open.length > 0 || this.#decided.length > 0)
  }

  /** False if the person stopped. All of a server can be accepted at once only after each was shown. */
  async #askServer(server: string, items: readonly HeldItem[]): Promise<boolean> {
    const skipped: HeldItem[] = []
    for (const [index, item] of items.entries()) {
      const facts = this.#held(item)
      this.#output.show(`${index === 0 ? '' : '\n'}${heldLines(facts, this.#output.notes).join('\n')}`)
      const answer = await this.#askOne(facts, items.length > 1 ? ` (${index + 1} of ${items.length})` : '')
      if (answer === undefined) return false
      if (answer !== 'skip') await this.#decide(item, answer)
      else if (facts.canAccept) skipped.push(item)
    }
    if (skipped.length < 2) return true
    const answer = await promptsOf(this.#cli).confirm({
      message: `Accept the ${skipped.length} of ${server} that you skipped?`,
      initial: false,
    })
    if (answer.cancelled) return false
    if (answer.value) for (const item of skipped) await this.#decide(item, 'accept')
    return true
  }

  /** To forget widens what is accepted as new, so the usual answer is no. */
  async #askRemoved(): Promise<void> {
    for (const server of new Set(this.#removed.map((item) => item.server))) {
      const own = this.#removed.filter((item) => item.server === server)
      const drawn = own.map((item) => removedLines(this.#gone(item), this.#output.notes).join('\n'))
      this.#output.show(`\n${drawn.join('\n\n')}`)
      const message = `Forget the ${own.length} that ${server} no longer offers?`
      const answer = await promptsOf(this.#cli).confirm({ message, initial: false })
      if (answer.cancelled) return setExit(this.#cli, 'cancelled')
      if (answer.value) for (const item of own) await this.#forget(item)
    }
  }

  async #forget({ server, kind, name, accepted }: RemovedItem): Promise<void> {
    const { hash } = accepted
    await this.#host.accept(server, [{ kind, name, hash }])
    this.#decided.push({ server, kind, name, hash, decision: 'forgotten' })
  }

  async #askOne({ title, canAccept }: HeldFacts, place: string): Promise<Decision | 'skip' | undefined> {
    const answer = await promptsOf(this.#cli).select({
      message: `${title}${place}`,
      choices: [
        { value: 'skip', label: 'Skip', hint: 'it stays held' },
        ...(canAccept
          ? [{ value: 'accept', label: 'Accept', hint: 'models get this definition' } as const]
          : []),
        { value: 'reject', label: 'Reject', hint: 'it stays held, and is not asked again' },
      ],
      initial: 'skip',
    })
    return answer.cancelled ? undefined : answer.value
  }

  async #decide(item: HeldItem, by: Decision): Promise<void> {
    const { server, kind, name, current } = item
    const { hash } = current
    const choice = { kind, name, hash }
    const { refused } = await (by === 'accept'
      ? this.#host.accept(server, [choice])
      : this.#host.reject(server, [choice]))
    const [refusal] = refused
    if (refusal) {
      setExit(this.#cli, refusal.why === 'changed' ? 'conflict' : 'failed')
      this.#output.error(`${escapeLine(heldTitle(item))} was not ${by}ed: ${refusals[refusal.why]}`)
      return
    }
    this.#decided.push({ server, kind, name, hash, decision: by === 'accept' ? 'accepted' : 'rejected' })
  }

  /** What was decided, and what still waits. */
  #finish(items: readonly HeldItem[], isDrawn = true): void {
    const isDecided = (item: HeldItem) => this.#decided.some((each) => isSame(each, item))
    const left = items.filter((item) => isWaiting(item) && !isDecided(item))
    const decided = this.#decided
    const lines = decided.map((each) => `${capital(each.decision)} ${escapeLine(heldTitle(each))}.`)
    const rest = left.length === 0 ? [] : [`${count(left.length, 'definition')} still held: plugboard review`]
    const gone = this.#removed.filter(
      ({ server, kind, name }) => !decided.some((each) => isSame(each, { server, kind, name })),
    )
    const fields = {
      held: left.map((item) => this.#held(item)),
      removed: gone.map((item) => this.#gone(item)),
      unasked: this.#unasked.map(({ server }) => server),
      decided: decided.map((each) => ({ ...each })),
      acceptance: this.#acceptance,
      ...this.#withheldField,
    }
    if (isDrawn) this.#output.result(fields, () => [...lines, ...rest].join('\n'))
    if (left.length > 0 && this.#cli.process.exitCode === undefined) setExit(this.#cli, 'untrusted')
    this.#exitIncomplete()
  }
}

const refusals = {
  changed: 'it has changed since it was shown. Look at it again: plugboard review',
  unknown: 'it is not held any more.',
  quarantined:
    'it has a critical finding. Examine it, and ignore it in your settings ("scan.ignore") with a reason.',
} as const

function isSame(one: Decided, { server, kind, name }: Pick<HeldItem, 'server' | 'kind' | 'name'>): boolean {
  return one.server === server && one.kind === kind && one.name === name
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
