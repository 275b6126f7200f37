import type { Route } from './route.ts'
import { described, flag, list, object, text, whole } from './schema-builder.ts'
import { shownFinding } from './shared-shapes.ts'

/** A skill of a server. Nothing of it has been read. */
const skillRow = object({
  ref: described('`server/name`, or `server/uri` if the server has several of this name.', text),
  server: text,
  name: text,
  description: text,
  uri: described('Of its SKILL.md.', text),
  'files?': described('Absent for a dynamic skill.', list(object({ path: text, size: whole, digest: text }))),
  bytes: whole,
  isDynamic: described('Its server does not say which files it has: each load is asked.', flag),
  hash: described('Of its front matter and the set of its files with their digests.', text),
  'held?': described('Why models do not get it until a person has reviewed it.', text),
})

export const skillRoutes = {
  'GET /api/skills': {
    summary: 'Lists the skills of servers, also those that are held.',
    command: 'plugboard skills',
    answer: object({
      skills: list(skillRow),
      problems: described(
        'Skills that cannot be used, and, if nothing is listed, servers that could not be asked; each with the reason.',
        list(text),
      ),
    }),
  },
  'GET /api/skill': {
    summary: 'Reads one file of a skill and verifies it; without a path, its SKILL.md.',
    command: 'plugboard skills read SKILL PATH',
    query: object({ server: text, uri: text, 'file?': text }),
    answer: object({
      uri: text,
      path: text,
      bytes: whole,
      'text?': described('Absent for a file that is not text.', text),
      'isCut?': flag,
      'findings?': described('What the scanner found in it.', list(shownFinding)),
    }),
  },
} as const satisfies Readonly<Record<string, Route>>
