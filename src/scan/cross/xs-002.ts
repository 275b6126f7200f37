import type { Severity } from '../../model/finding.ts'
import type { ServerOffers } from '../scan-offers.ts'
import { exampleServer } from './cross-rule.ts'
import type { CrossMatch, CrossRule } from './cross-rule.ts'
import { foldName, isDistinctive, isOneEdit, joinWords, skeletonOf } from './look-alike.ts'

/**
 * Names that are equal or look alike. Honest servers share common names, and a model sees them with the server's name in
 * front: equality is shown, imitation is severe.
 */
export const collision: CrossRule = {
  id: 'XS-002',
  severity: 'high',
  title: 'Name taken from another server',
  reason: 'A model or a person may take one for the other and give it what was meant for the first.',
  remedy: 'Disable one of the two, or check that you trust both alike.',
  hits: [
    [exampleServer('mail', { send_email: '' }), exampleServer('helper', { send_email: '' })],
    [exampleServer('mail', { send_email: '' }), exampleServer('helper', { send_emаil: '' })],
    [exampleServer('files', { a: '' }), exampleServer('fi1es', { b: '' })],
  ],
  misses: [
    [exampleServer('mail', { search: '' }), exampleServer('wiki', { search: '' })],
    [exampleServer('mail', { get_message: '' }), exampleServer('chat', { get_messages: '' })],
  ],
  find: (all) => [...servers(all), ...tools(all)],
}

function servers(all: readonly ServerOffers[]): readonly CrossMatch[] {
  return all.flatMap(({ server }, index) =>
    all.slice(0, index).flatMap((earlier): readonly CrossMatch[] => {
      const likeness = compare(earlier.server, server)
      if (!likeness || likeness === 'equal') return []
      return [
        {
          severity: likeness === 'imitated' ? 'high' : 'medium',
          subject: { kind: 'server', server },
          pointer: '',
          message: `The name "${server}" looks like that of the server "${earlier.server}".`,
        },
      ]
    }),
  )
}

interface Named {
  readonly server: string
  readonly name: string
}

function tools(all: readonly ServerOffers[]): readonly CrossMatch[] {
  const names = all.flatMap((offers) =>
    offers.tools.flatMap(({ name }): readonly Named[] =>
      typeof name === 'string' ? [{ server: offers.server, name }] : [],
    ),
  )
  const seen = new Map<string, Named[]>()
  return names.flatMap((tool) => {
    const keys = keysOf(tool.name)
    const near = keys.flatMap((key) => seen.get(key) ?? [])
    for (const key of keys) seen.set(key, [...(seen.get(key) ?? []), tool])
    const match = worst([...new Set(near)].flatMap((other) => matchOf(other, tool)))
    return match ? [match] : []
  })
}

/** Two names that could match share a key: the name's looks, and its looks without one letter. */
function keysOf(name: string): readonly string[] {
  const looks = skeletonOf(joinWords(name))
  if (looks.length > 64) return [looks]
  return [
    ...new Set([looks, ...Array.from(looks, (_, index) => looks.slice(0, index) + looks.slice(index + 1))]),
  ]
}

function matchOf(other: Named, tool: Named): readonly CrossMatch[] {
  if (other.server === tool.server) return []
  const likeness = compare(other.name, tool.name)
  if (!likeness) return []
  const severity: Severity = likeness === 'imitated' ? 'high' : isDistinctive(tool.name) ? 'medium' : 'low'
  const relation = likeness === 'equal' ? 'is also that of a tool' : `looks like "${other.name}"`
  return [
    {
      severity,
      subject: { kind: 'tool', server: tool.server, name: tool.name },
      pointer: '/name',
      message: `The name "${tool.name}" ${relation} of the server "${other.server}".`,
    },
  ]
}

function worst(matches: readonly CrossMatch[]): CrossMatch | undefined {
  return matches.find(({ severity }) => severity === 'high') ?? matches[0]
}

/** `imitated`: only another script or a digit makes the difference, which no one does by accident. */
function compare(one: string, other: string): 'equal' | 'near' | 'imitated' | undefined {
  if (one === other) return 'equal'
  const [a, b] = [joinWords(one), joinWords(other)]
  if (a === b) return 'near'
  if (skeletonOf(a) === skeletonOf(b)) return 'imitated'
  const isPlural = a === `${b}s` || b === `${a}s`
  return Math.min(a.length, b.length) >= 8 && isOneEdit(foldName(a), foldName(b)) && !isPlural
    ? 'near'
    : undefined
}
