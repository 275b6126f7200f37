import type { Route } from './route.ts'
import type { TypeOf } from './schema-builder.ts'
import {
  anything,
  described,
  flag,
  list,
  number,
  object,
  oneOf,
  openObject,
  text,
  texts,
  whole,
} from './schema-builder.ts'
import { codeFields, dryRun, fileDifference, json, moment, place, problem } from './shared-shapes.ts'

export const configFile = object({
  file: text,
  shown: text,
  source: text,
  scope: text,
  isFound: flag,
  isInUse: flag,
  servers: whole,
  errors: whole,
  warnings: whole,
})
export type ConfigFile = TypeOf<typeof configFile>

export const sourceRow = object({
  id: text,
  title: text,
  use: oneOf('own', 'on', 'off'),
  servers: whole,
  files: list(configFile),
})
export type SourceRow = TypeOf<typeof sourceRow>

const copyFields = {
  /** The names of those to copy; without it all. */
  'only?': texts,
  'scope?': oneOf('user', 'project'),
  /** Entries of the same name are replaced; otherwise they are skipped. */
  'isReplacing?': flag,
  ...dryRun,
  'request?': codeFields.request,
  'code?': codeFields.code,
}
const copied = object({
  copied: texts,
  renamed: list(object({ name: text, as: text })),
  skipped: list(object({ name: text, reason: text })),
  differences: list(fileDifference),
  isWritten: flag,
  notes: described('What the file cannot say.', texts),
})

export const configRoutes = {
  'GET /api/config': {
    summary: 'Files, sources, settings and problems of the configuration.',
    command: 'plugboard sources',
    answer: object({
      files: list(configFile),
      sources: list(sourceRow),
      problems: list(problem),
      settings: object({ place, values: list(object({ name: text, value: json, about: text })) }),
    }),
  },
  'GET /api/config/file': {
    summary: 'The text of a file of the configuration, with secrets hidden and problems in their lines.',
    query: object({ file: text }),
    answer: object({
      file: configFile,
      lines: list(object({ number: whole, text })),
      problems: list(problem),
      servers: list(object({ name: text, line: whole })),
      'lastGood?': object({ since: moment }),
    }),
  },
  'POST /api/config/fix': {
    summary: 'Writes the key that was probably meant; comments stay.',
    body: object({ file: text, pointer: text, meant: text, ...dryRun }),
    answer: object({ differences: list(fileDifference), isWritten: flag }),
  },
  'PUT /api/sources/:source': {
    summary: 'Uses the servers of another client, or stops using them.',
    command: 'plugboard sources enable SOURCE',
    body: object({ enabled: flag, 'request?': codeFields.request, 'code?': codeFields.code }),
    answer: object({ source: sourceRow }),
    isGuarded: true,
  },
  'POST /api/sources/:source/import': {
    summary: "Copies another client's servers into your own file; untrusted ones of a project stay out.",
    command: 'plugboard import SOURCE',
    body: object(copyFields),
    answer: copied,
    isGuarded: true,
  },
  'POST /api/sources/:source/export': {
    summary: "Copies the servers in force into another client's file; untrusted ones of a project stay out.",
    command: 'plugboard export SOURCE',
    body: object(copyFields),
    answer: copied,
    isGuarded: true,
  },
  'GET /api/why': {
    summary: 'Why a server or a tool is in force, offered, hidden or asked for.',
    command: 'plugboard why NAME',
    query: object({ name: text }),
    answer: object({ kind: oneOf('server', 'tool'), sentences: list(text), detail: anything }),
  },
  'GET /api/doctor': {
    summary: 'Checks every server and file.',
    command: 'plugboard doctor',
    answer: object({ checks: list(openObject), failed: whole }),
  },
  'GET /api/store': {
    summary: 'Where conversations are kept.',
    command: 'plugboard store status',
    answer: object({
      'driver?': text,
      'place?': text,
      'bytes?': number,
      'rows?': openObject,
      'problem?': text,
    }),
  },
} as const satisfies Readonly<Record<string, Route>>
