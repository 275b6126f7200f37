import type { HeldOffer, RemovedOffer, Host } from '../../../index.ts'
import type { HeldFacts, RemovedFacts } from '../../api/lock-routes.ts'
import { quote } from '../../terminal/argv.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { showFindings } from '../findings/shown-finding.ts'
import { serverCommand } from '../server-command.ts'
import { definitionDifference } from './definition-difference.ts'

/** A held offer with its server. */
export interface HeldItem extends HeldOffer {
  readonly server: string
}

/** What servers offer and models do not get, one by one. */
export function heldItems(host: Pick<Host, 'held'>): readonly HeldItem[] {
  return host.held().flatMap(({ server, offers }) => offers.map((offer) => ({ ...offer, server })))
}

/** What was accepted and is not offered any more, with its server. */
export interface RemovedItem extends RemovedOffer {
  readonly server: string
}

export function removedItems(host: Pick<Host, 'held'>): readonly RemovedItem[] {
  return host.held().flatMap(({ server, removed }) => removed.map((offer) => ({ ...offer, server })))
}

/** What a person sees of it before they forget it. */
export function describeRemoved(item: RemovedItem): RemovedFacts {
  const { server, kind, name, accepted } = item
  const day = accepted.at.slice(0, 10)
  const flags = `--accept=${quote(heldWord(item))} --hash ${accepted.hash} `
  return {
    id: `${server}~${kind}~${accepted.hash.slice(-12)}`,
    server,
    kind,
    name: escapeLine(name),
    title: escapeLine(heldTitle(item)),
    why: `It was accepted on ${day}, and the server no longer offers it. If it comes back, it is compared with that definition, unless you forget it.`,
    hash: accepted.hash,
    difference: definitionDifference(undefined, accepted.definition),
    commands: { forget: serverCommand('review', server, flags) },
  }
}

/** Whether a person has to decide about it: not if they rejected it, or if only the lock file of the project is against it. */
export function isWaiting(offer: Pick<HeldOffer, 'reason' | 'accepted' | 'current'>): boolean {
  return offer.reason !== 'rejected' && !isOnlyLocked(offer)
}

function isOnlyLocked({
  reason,
  accepted,
  current,
}: Pick<HeldOffer, 'reason' | 'accepted' | 'current'>): boolean {
  return reason === 'lock' && accepted?.hash === current.hash
}

/** How many held offers of each server wait for a decision: not those that a person has rejected. */
export function countWaiting(host: Pick<Host, 'held'>): ReadonlyMap<string, number> {
  return new Map(host.held().map(({ server, offers }) => [server, offers.filter(isWaiting).length]))
}

/** What a person sees of a held offer before they decide, in terminal and page. All texts of the server are escaped. */
export function describeHeld(item: HeldItem): HeldFacts {
  const { server, kind, name, reason, accepted, current, renamedFrom } = item
  return {
    id: `${server}~${kind}~${current.hash.slice(-12)}`,
    server,
    kind,
    name: escapeLine(name),
    title: escapeLine(heldTitle(item)),
    reason,
    why: escapeLine(whyHeld(item)),
    isWaiting: isWaiting(item),
    canAccept: !isQuarantined(item) && !isOnlyLocked(item),
    hash: current.hash,
    ...(accepted && { accepted: { hash: accepted.hash, at: accepted.at } }),
    ...(renamedFrom !== undefined && { renamedFrom: escapeLine(renamedFrom) }),
    difference: definitionDifference(accepted?.definition, current.definition),
    findings: showFindings(item.findings.filter(isOfText)),
    commands: { accept: decisionCommand('accept', item), reject: decisionCommand('reject', item) },
  }
}

/** As a person names it: `github/create_issue`, `github (instructions)`. */
export function heldTitle({ server, kind, name }: Pick<HeldItem, 'server' | 'kind' | 'name'>): string {
  if (kind === 'instructions') return `${server} (instructions)`
  return kind === 'tool' ? `${server}/${name}` : `${server}/${name} (${kind})`
}

/** The words of `--accept` and `--reject` for it. */
export function heldWord({ kind, name }: Pick<HeldItem, 'kind' | 'name'>): string {
  return kind === 'instructions' ? 'instructions' : name
}

function decisionCommand(verb: 'accept' | 'reject', item: HeldItem): string {
  const flags = `--${verb}=${quote(heldWord(item))} --hash ${item.current.hash} `
  return serverCommand('review', item.server, flags)
}

function whyHeld(item: HeldItem): string {
  const { reason, accepted, renamedFrom = '' } = item
  const day = accepted?.at.slice(0, 10) ?? ''
  const sentence = {
    changed: `It is not the definition that was accepted on ${day}.`,
    renamed: `It was accepted on ${day} under the name "${renamedFrom}".`,
    loosened: `It promises less, or takes more, than the definition that was accepted on ${day}.`,
    added: 'It is new, and new offers of this server need your yes.',
    scan: 'It is new, and the scanner found something bad in it.',
    rejected: 'You rejected this definition.',
    lock: whyLocked(item),
  }[reason]
  return isQuarantined(item)
    ? `${sentence} A critical finding cannot be accepted: examine it, and ignore it in your settings ("scan.ignore") with a reason.`
    : sentence
}

function whyLocked(item: HeldItem): string {
  const what = item.note ?? 'It differs from mcp.lock.json of the project.'
  return isOnlyLocked(item)
    ? `${what} You have accepted it; models get it when the lock file has it too: plugboard lock`
    : `${what} Accept it for yourself, then agree on it with your team: plugboard lock`
}

/** The host refuses to accept these; a person learns it before they try. */
function isQuarantined({ findings }: HeldItem): boolean {
  return findings.some(
    ({ rule, severity }) => severity === 'critical' && (!rule.startsWith('DRF-') || rule === 'DRF-004'),
  )
}

/** What changed is the difference itself; only what the text would do is told beside it. */
function isOfText({ rule }: HeldItem['findings'][number]): boolean {
  return rule !== 'DRF-001' && rule !== 'DRF-002'
}
