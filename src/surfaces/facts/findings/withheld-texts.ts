import { ruleList } from '../../../scan.ts'
import type { HeldFacts } from '../../api/lock-routes.ts'
import { heldTitle } from '../definitions/held-facts.ts'
import { serverCommand } from '../server-command.ts'
import type { PlacedFinding } from './finding-facts.ts'

/** The fields of a finding that may hold a text of a server. */
interface FindingTexts {
  readonly rule: string
  readonly message: string
  readonly evidence?: string
  readonly remedy: string
}

/**
 * A finding in our words alone: what its rule is about, without the text that was found (T12, T48). The message is that of the
 * rule, because the one of the finding may name tools or words of the server.
 */
function withoutText<F extends FindingTexts>(finding: F): F {
  const { evidence: _, ...rest } = finding
  const { title = '', remedy = '' } = ruleList.find(({ id }) => id === finding.rule) ?? {}
  return { ...rest, message: title, remedy } as F // evidence is optional
}

/** The same for a finding with its subject and its place, both of which a server names. */
export function withoutFindingTexts<F extends PlacedFinding>(finding: F): F {
  const { pointer, subject } = finding
  const name = subject.name === undefined ? {} : { name: plainName(subject.name) }
  return withoutText({ ...finding, pointer: plainPlace(pointer), subject: { ...subject, ...name } })
}

/** A held offer without its texts: what it is, why it is held, the rules that it breaks, and its hash. */
export function withoutHeldTexts(held: HeldFacts): HeldFacts {
  const { renamedFrom: _, ...rest } = held
  const { server, kind, name, findings } = rest
  const isPlain = plainName(name) === name
  const look = serverCommand('review', server)
  const title = heldTitle({ server, kind, name: plainName(name) })
  return {
    ...rest,
    name: plainName(name),
    ...(!isPlain && { title, commands: { accept: look, reject: look } }),
    ...(rest.reason === 'renamed' && { why: 'It was accepted under another name.' }),
    difference: { changes: [] },
    findings: findings.map((each) => ({ ...withoutText(each), where: plainPlace(each.where) })),
  }
}

const hiddenName = '(name not shown)'

/** A name by which a person finds the offer: without spaces, and short. */
export function plainName(name: string): string {
  return /^[\w.:/@{}-]{0,64}$/.test(name) ? name : hiddenName
}

/** A pointer up to the first key that a server chooses freely. */
function plainPlace(pointer: string): string {
  const [, first = '', second = ''] = pointer.split('/')
  const isKnown = (key: string) => knownKeys.has(key)
  if (!isKnown(first)) return ''
  return isKnown(second) ? `/${first}/${second}` : `/${first}`
}

/** Keys of the protocol, which say where a text is and are no text of a server. */
const knownKeys: ReadonlySet<string> = new Set([
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'properties',
  'annotations',
  'arguments',
  'uri',
  'uriTemplate',
  'mimeType',
  '_meta',
  'icons',
  'command',
  'args',
  'env',
  'url',
  'headers',
])
