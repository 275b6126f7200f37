import type { Route } from './route.ts'
import type { TypeOf } from './schema-builder.ts'
import { described, flag, list, object, oneOf, text, texts, whole } from './schema-builder.ts'
import { codeFields, shownFinding } from './shared-shapes.ts'

/** One difference between an accepted definition and the current one. */
export const definitionChange = object({
  part: oneOf('annotations', 'text', 'input', 'output', 'other'),
  path: described('The key, or the field of a schema: `filter.kind`, `tags[] enum`.', text),
  kind: oneOf('added', 'removed', 'changed'),
  'isLoosened?': described('It promised less harm before.', flag),
  'before?': described('JSON, for what is no text.', text),
  'after?': text,
  'pieces?': described(
    'A text word by word.',
    list(object({ kind: oneOf('same', 'added', 'removed'), text })),
  ),
  'left?': described('Characters of the text that are not shown.', whole),
})
export type DefinitionChange = TypeOf<typeof definitionChange>

export const definitionDifference = object({
  changes: described(
    'Loosened annotations first, then texts, schemas and other keys.',
    list(definitionChange),
  ),
  'more?': described('Changes that are not shown.', whole),
})
export type DefinitionDifference = TypeOf<typeof definitionDifference>

/** Something that a server offers and a model does not get until a person accepts it. */
export const heldFacts = object({
  id: described('For addresses of the page.', text),
  server: text,
  kind: oneOf('tool', 'prompt', 'template', 'app', 'skill', 'resource', 'instructions'),
  name: text,
  title: described('As a person names it: `github/create_issue`.', text),
  reason: oneOf('changed', 'renamed', 'loosened', 'added', 'scan', 'rejected', 'lock'),
  why: described('One sentence.', text),
  isWaiting: described('A person has to decide about it.', flag),
  canAccept: described(
    'Not with a critical finding, nor if only the lock file of the project is against it.',
    flag,
  ),
  hash: described('Of the definition as it is offered now. A decision is bound to it.', text),
  'accepted?': object({ hash: text, at: text }),
  'renamedFrom?': text,
  difference: definitionDifference,
  findings: described(
    'What the scanner found in the current definition, the worst first.',
    list(shownFinding),
  ),
  commands: object({ accept: text, reject: text }),
})
export type HeldFacts = TypeOf<typeof heldFacts>

/** Something that was accepted, and that its server no longer offers. */
export const removedFacts = object({
  id: described('For addresses of the page.', text),
  server: text,
  kind: oneOf('tool', 'prompt', 'template', 'app', 'skill', 'resource', 'instructions'),
  name: text,
  title: described('As a person names it: `github/create_issue`.', text),
  why: described('One sentence.', text),
  hash: described('Of the accepted definition. Accepting with it forgets the definition.', text),
  difference: described('The accepted definition, as additions.', definitionDifference),
  commands: object({ forget: text }),
})
export type RemovedFacts = TypeOf<typeof removedFacts>

/** A lock file of a project, and what it says about the servers that the project declares. */
export const lockFileFacts = object({
  file: text,
  shown: text,
  servers: list(object({ name: text, isAsLocked: flag, sentence: text })),
  command: text,
})
export type LockFileFacts = TypeOf<typeof lockFileFacts>

/** How definitions are accepted in a folder. */
export const acceptanceFacts = object({
  mode: oneOf('off', 'tofu', 'strict'),
  by: described(
    'What decided it: the settings of the person or the project, or else the preset.',
    oneOf('user', 'project', 'preset'),
  ),
  'sentence?': described('If acceptance is off: what that means, and how to turn it on.', text),
})
export type AcceptanceFacts = TypeOf<typeof acceptanceFacts>

const decided = object({ held: list(heldFacts), removed: list(removedFacts) })
const subject = {
  server: text,
  kind: oneOf('tool', 'prompt', 'template', 'app', 'skill', 'resource', 'instructions'),
  hash: text,
} as const

export const lockRoutes = {
  'GET /api/lock': {
    summary: 'What is held back from models until a person accepts it, with what changed.',
    command: 'plugboard review',
    answer: object({
      held: list(heldFacts),
      removed: list(removedFacts),
      locks: list(lockFileFacts),
      acceptance: acceptanceFacts,
      notes: described('Servers whose offers are not known, so that nothing can be said about them.', texts),
    }),
  },
  'POST /api/lock/accept': {
    summary:
      'Accepts exactly the definition with this hash, or forgets it if its server no longer offers it.',
    command: 'plugboard review SERVER --accept NAME --hash HASH',
    body: object({ ...subject, ...codeFields }),
    answer: decided,
    isGuarded: true,
  },
  'POST /api/lock/reject': {
    summary: 'Keeps exactly the definition with this hash away from models.',
    command: 'plugboard review SERVER --reject NAME --hash HASH',
    body: object(subject),
    answer: decided,
  },
} as const satisfies Readonly<Record<string, Route>>
