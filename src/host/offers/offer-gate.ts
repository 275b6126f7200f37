import { noAcceptance } from '../../acceptances/acceptance.ts'
import type { Acceptance, HeldOffer, LockedOffers, RemovedOffer } from '../../acceptances/acceptance.ts'
import type {
  AcceptanceOwner,
  AcceptanceReading,
  AcceptanceStore,
} from '../../acceptances/acceptance-store.ts'
import { showNames } from '../../acceptances/hidden-names.ts'
import { areAllAccepted } from '../../acceptances/offered-list.ts'
import { removedOffers } from '../../acceptances/removed-offers.ts'
import type { Snapshot } from '../../catalog/catalog.ts'
import { sha256Hex } from '../../model/canonical.ts'
import { offerName } from '../../model/definition/canonical-definition.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { EventOffer, UntimedEvent } from '../../model/event.ts'
import type { Finding } from '../../model/finding.ts'
import type { IgnoredFinding } from '../../model/ignored-finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { declaredPlace, storageKeyOf } from '../../model/server.ts'
import type { Server } from '../../model/server.ts'
import type { Skill } from '../../model/skills/skill.ts'
import { toRef } from '../../model/tool.ts'
import type { Clock } from '../../platform/platform.ts'
import type { AcceptWord } from '../../model/definition/accept-word.ts'
import type { OfferChoice, ReviewResult } from '../host-options.ts'

export interface OfferGateOptions {
  readonly mode: () => AcceptWord
  readonly store: AcceptanceStore
  /** What is accepted of other servers is known to this host alone. */
  readonly isStored: (server: Server) => boolean
  /** The account of the connection: a server may offer other things to another one. */
  readonly accountOf?: (server: Server) => Promise<string>
  /** What the lock file of the project has of a server. */
  readonly lockOf?: (server: Server) => Promise<LockedOffers | undefined>
  readonly ignored: readonly IgnoredFinding[]
  readonly clock: Pick<Clock, 'now'>
  readonly emit: (event: UntimedEvent) => void
}

interface ServerState {
  readonly server: Server
  /** Whose acceptance `reading` is; unknown before the first list. */
  account?: string
  reading: Promise<AcceptanceReading>
  held: readonly HeldOffer[]
  /** Held documents of apps, by their address: they are read one by one, and not a part of the lists. */
  readonly heldApps: Map<string, HeldOffer>
  removed: readonly RemovedOffer[]
  problem?: Diagnostic | undefined
  /** A lock file has narrowed it. */
  isLocked?: boolean
  /** The last write that failed. */
  failed?: Error | undefined
  /** Writes of one server follow one another. */
  writing: Promise<void>
}

/**
 * What servers offer passes through here on its way into the catalog: the accepted part goes on, the rest is held (T12).
 * An acceptance is read once for each server, and written after the catalog has what was accepted.
 */
export class OfferGate {
  readonly #options: OfferGateOptions
  readonly #states = new Map<string, ServerState>()

  constructor(options: OfferGateOptions) {
    this.#options = options
  }

  /** The part of a snapshot that models may get. Without the scanner if everything is as it was accepted. */
  async admit(server: Server, offered: Snapshot): Promise<Snapshot> {
    const mode = this.#options.mode()
    const state = this.#stateOf(server)
    if (mode === 'off') return this.#admitLocked(state, offered)
    const account = (await this.#options.accountOf?.(server)) ?? ''
    // Another process may have recorded a person's decision since, or the person may have logged in with another account.
    if (state.held.length + state.removed.length > 0 || state.account !== account)
      await this.#readAgain(state, account)
    const reading = withNames(await state.reading, offered)
    const lock = await this.#lockOf(state, server)
    this.#note(state, reading.kind === 'damaged' ? reading.problem : undefined)
    const resources = await this.#heldResources(state, offered, reading)
    if (reading.kind === 'known' && !lock && areAllAccepted(offered, reading.acceptance)) {
      this.#hold(state, resources)
      state.removed = removedOffers(offered, reading.acceptance)
      return withoutResources(offered, resources)
    }
    const { judgeSnapshot } = await import('./judge-snapshot.ts')
    const { judgement, scans } = await judgeSnapshot({
      server: server.name,
      offered,
      acceptance: reading.kind === 'known' ? reading.acceptance : undefined,
      // What was accepted is unknown, and what is offered now may be what replaced it.
      mode: reading.kind === 'damaged' ? 'strict' : mode,
      lock,
      ignored: this.#options.ignored,
      now: this.#now(),
    })
    this.#hold(state, [...judgement.held, ...resources])
    state.removed = reading.kind === 'known' ? removedOffers(offered, reading.acceptance, judgement.held) : []
    const snapshot = withoutResources(judgement.snapshot, resources)
    if (reading.kind === 'damaged') return snapshot
    const { additions, held } = judgement
    const { withAdditions, withScans } = await import('../../acceptances/change-acceptance.ts')
    this.#tellAccepted(server, additions, reading.kind === 'none' ? 'first-sight' : 'added')
    const isScanned = held.some(({ current }) => scans.get(current.hash)?.isNew)
    if (additions.length > 0 || isScanned || reading.kind === 'none')
      this.#change(state, (current) => withScans(withAdditions(current, additions), held, scans))
    return snapshot
  }

  /** The resources in which the scanner found something bad. What it found is kept beside what was accepted. */
  async #heldResources(
    state: ServerState,
    { resources }: Snapshot,
    reading: AcceptanceReading,
  ): Promise<readonly HeldOffer[]> {
    if (resources.length === 0) return []
    const acceptance = reading.kind === 'known' ? reading.acceptance : undefined
    const { heldResources } = await import('./scan-resources.ts')
    const { held, record } = await heldResources({
      server: state.server.name,
      resources,
      acceptance,
      ignored: this.#options.ignored,
      now: this.#now(),
    })
    if (record && reading.kind !== 'damaged')
      this.#change(state, (current = noAcceptance) => ({ ...current, resourceScan: record }))
    return held
  }

  /** Accepts the document of an app, or returns why it is held. */
  async admitApp(server: Server, definition: JsonObject): Promise<HeldOffer | undefined> {
    const mode = this.#options.mode()
    const state = this.#stateOf(server)
    const account = (await this.#options.accountOf?.(server)) ?? ''
    if (state.heldApps.size > 0 || state.account !== account) await this.#readAgain(state, account)
    const reading = await state.reading
    const lock = await this.#lockOf(state, server)
    if (mode === 'off' && !lock?.apps) return undefined
    const { judgeApp } = await import('./judge-app.ts')
    const { held, addition } = judgeApp({
      server: server.name,
      definition,
      acceptance: reading.kind === 'known' ? reading.acceptance : undefined,
      mode: reading.kind === 'damaged' ? 'strict' : mode === 'off' ? 'tofu' : mode,
      lock,
      now: this.#now(),
    })
    const uri = offerName('app', definition)
    if (held) state.heldApps.set(uri, held)
    else state.heldApps.delete(uri)
    if (held) this.#tellHeld(server, [held])
    if (!addition || mode === 'off' || reading.kind === 'damaged') return held
    const { withAdditions } = await import('../../acceptances/change-acceptance.ts')
    this.#tellAccepted(server, [addition], 'added')
    this.#change(state, (current) => withAdditions(current, [addition]))
    return undefined
  }

  heldOf(server: string): readonly HeldOffer[] {
    const state = this.#named(server)
    return state ? allHeld(state) : []
  }

  /** What was accepted of a server, and is not offered any more. */
  removedOf(server: string): readonly RemovedOffer[] {
    return this.#named(server)?.removed ?? []
  }

  /** Whether to judge the same offers again: something is held, or a lock file applies and another version may run by now. */
  judgesAgain(server: string): boolean {
    const { held = [], removed = [], isLocked = false } = this.#named(server) ?? {}
    return held.length > 0 || removed.length > 0 || isLocked
  }

  /** Why acceptances cannot be used, by server. */
  problems(): readonly Diagnostic[] {
    return [...this.#states.values()].flatMap(({ problem }) => problem ?? [])
  }

  /** Records the decision of a person about exactly the definitions that they were shown. */
  async decide(
    server: string,
    choices: readonly OfferChoice[],
    decision: 'accept' | 'reject',
  ): Promise<ReviewResult> {
    const state = this.#named(server)
    const { isQuarantined, withAccepted, withForgotten, withRejected } =
      await import('../../acceptances/change-acceptance.ts')
    const done: HeldOffer[] = []
    const forgotten: RemovedOffer[] = []
    const refused: ReviewResult['refused'][number][] = []
    for (const { kind, name, hash } of choices) {
      const isMeant = (each: RemovedOffer | HeldOffer) => each.kind === kind && each.name === name
      const gone = decision === 'accept' ? state?.removed.find(isMeant) : undefined
      if (gone?.accepted.hash === hash) {
        forgotten.push(gone)
        continue
      }
      const offer = state && allHeld(state).find(isMeant)
      const why = refusalOf(offer, hash, decision === 'accept' && offer !== undefined && isQuarantined(offer))
      if (!offer || why) refused.push({ kind, name, why: why ?? 'unknown' })
      else done.push(offer)
    }
    const apply = decision === 'accept' ? withAccepted : withRejected
    const at = this.#now()
    if (state && done.length + forgotten.length > 0) {
      this.#change(state, (current) =>
        forgotten.reduce(
          withForgotten,
          done.reduce<Acceptance>((result, offer) => apply(result, offer, at), current ?? noAcceptance),
        ),
      )
      await state.writing
      // Throws if it could not be written: a decision that is lost with this process was not recorded.
      const failed = state.failed
      state.failed = undefined
      if (failed) throw failed
      for (const { kind, name } of done)
        if (kind === 'app' && decision === 'accept') state.heldApps.delete(name)
    }
    return { done: [...done, ...forgotten].map(({ kind, name }) => ({ kind, name })), refused }
  }

  /**
   * Holds a skill in whose SKILL.md the scanner found something bad: what was accepted at first sight was its entry alone.
   * False if a person has accepted exactly this content.
   */
  async holdSkill({ server, uri, hash }: Skill, findings: readonly Finding[]): Promise<boolean> {
    const state = this.#named(server)
    const reading = await state?.reading
    if (!state || reading?.kind !== 'known') return true
    const accepted = reading.acceptance.skills.get(uri)
    const { isCritical, withSkillHeld } = await import('../../acceptances/hold-skill.ts')
    if (accepted?.hash === hash && accepted.how === 'person' && !isCritical(findings)) return false
    this.#change(state, (current) => withSkillHeld(current ?? noAcceptance, { uri, hash, findings }))
    await state.writing
    return true
  }

  forget({ id }: Pick<Server, 'id'>): void {
    this.#states.delete(id)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#states.values()].map(({ writing }) => writing))
  }

  async #lockOf(state: ServerState, server: Server): Promise<LockedOffers | undefined> {
    const lock = await this.#options.lockOf?.(server)
    state.isLocked = lock !== undefined
    return lock
  }

  /** Without acceptances only the lock file narrows. */
  async #admitLocked(state: ServerState, offered: Snapshot): Promise<Snapshot> {
    const { name } = state.server
    const lock = await this.#lockOf(state, state.server)
    if (!lock) return this.#admitAll(state, offered)
    const { judgeOffers } = await import('../../acceptances/judge-offers.ts')
    const { held, snapshot } = judgeOffers({
      server: name,
      offered,
      acceptance: undefined,
      mode: 'tofu',
      findingsOf: () => [],
      lock,
      now: this.#now(),
    })
    this.#hold(state, held)
    return snapshot
  }

  #admitAll(state: ServerState, offered: Snapshot): Snapshot {
    state.held = []
    state.removed = []
    return offered
  }

  #stateOf(server: Server): ServerState {
    const known = this.#states.get(server.id)
    if (known) return known
    const reading = Promise.resolve<AcceptanceReading>({ kind: 'none' })
    const state: ServerState = {
      server,
      reading,
      held: [],
      heldApps: new Map(),
      removed: [],
      writing: Promise.resolve(),
    }
    this.#states.set(server.id, state)
    return state
  }

  #named(name: string): ServerState | undefined {
    return [...this.#states.values()].find(({ server }) => server.name === name)
  }

  /** What is not stored is known for as long as the account is the same. */
  async #readAgain(state: ServerState, account: string): Promise<void> {
    const { store, isStored } = this.#options
    const isSame = state.account === account
    if (isSame && !isStored(state.server)) return
    await state.writing
    state.account = account
    state.reading = isStored(state.server) ? store.read(ownerOf(state)) : Promise.resolve({ kind: 'none' })
  }

  /** In memory at once, on disk afterwards: what another process has written meanwhile stays. */
  #change(state: ServerState, change: (acceptance: Acceptance | undefined) => Acceptance): void {
    const { store, isStored } = this.#options
    state.reading = state.reading.then((reading) =>
      reading.kind === 'damaged'
        ? reading
        : { kind: 'known', acceptance: change(reading.kind === 'known' ? reading.acceptance : undefined) },
    )
    if (!isStored(state.server)) return
    const owner = ownerOf(state)
    state.writing = state.writing
      .then(() => store.change(owner, change))
      .then(
        () => undefined,
        (error: unknown) => this.#onUnwritten(state, error),
      )
  }

  #onUnwritten(state: ServerState, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error)
    state.failed = error instanceof Error ? error : new Error(why)
    const { id, name } = state.server
    const message = `What was accepted of it could not be written, and is unknown after this run: ${why}`
    this.#options.emit({ type: 'server.warned', id, server: name, message })
  }

  #note(state: ServerState, problem: Diagnostic | undefined): void {
    const { id, name } = state.server
    if (problem && !state.problem)
      this.#options.emit({ type: 'server.warned', id, server: name, message: problem.message })
    state.problem = problem && { ...problem, server: name }
  }

  #hold(state: ServerState, held: readonly HeldOffer[]): void {
    const before = new Set(state.held.map(identityOf))
    const fresh = held.filter((each) => !before.has(identityOf(each)))
    state.held = held
    this.#tellHeld(state.server, fresh)
  }

  #tellHeld({ id, name }: Server, fresh: readonly HeldOffer[]): void {
    const offers = fresh.map((each) => ({ ...toEventOffer(name, each), reason: each.reason }))
    if (offers.length > 0) this.#options.emit({ type: 'offer.held', id, server: name, offers })
  }

  #tellAccepted(
    { id, name }: Server,
    additions: readonly Pick<HeldOffer, 'kind' | 'name'>[],
    how: 'first-sight' | 'added',
  ): void {
    const offers = additions.map((each) => toEventOffer(name, each))
    if (offers.length > 0) this.#options.emit({ type: 'offer.accepted', id, server: name, how, offers })
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString()
  }
}

function allHeld({ held, heldApps }: ServerState): readonly HeldOffer[] {
  return heldApps.size === 0 ? held : [...held, ...heldApps.values()]
}

/** With the names that the server offers now, where their hashes were stored. */
function withNames(reading: AcceptanceReading, offered: Snapshot): AcceptanceReading {
  return reading.kind === 'known'
    ? { ...reading, acceptance: showNames(reading.acceptance, offered) }
    : reading
}

/** The same snapshot if no resource is held. */
function withoutResources(snapshot: Snapshot, held: readonly HeldOffer[]): Snapshot {
  if (held.length === 0) return snapshot
  const gone = new Set(held.map(({ name }) => name))
  return {
    ...snapshot,
    resources: snapshot.resources.filter(({ uri }) => typeof uri !== 'string' || !gone.has(uri)),
  }
}

function refusalOf(
  offer: HeldOffer | undefined,
  hash: string,
  isQuarantined: boolean,
): 'changed' | 'unknown' | 'quarantined' | undefined {
  if (!offer) return 'unknown'
  if (offer.current.hash !== hash) return 'changed'
  return isQuarantined ? 'quarantined' : undefined
}

function ownerOf({ server, account = '' }: Pick<ServerState, 'server' | 'account'>): AcceptanceOwner {
  const placeKey = sha256Hex(`${server.name}\0${declaredPlace(server)}`)
  return { key: storageKeyOf(server), placeKey, server: server.name, account }
}

function identityOf({ kind, name, reason, current }: HeldOffer): string {
  return JSON.stringify([kind, name, reason, current.hash])
}

function toEventOffer(server: string, { kind, name }: Pick<HeldOffer, 'kind' | 'name'>): EventOffer {
  return { kind, name, ...(kind === 'tool' && { ref: toRef(server, name) }) }
}
