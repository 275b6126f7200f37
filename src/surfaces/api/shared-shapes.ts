import type { Diagnostic, Json } from '../../index.ts'
import type { TypeOf } from './schema-builder.ts'
import {
  described,
  flag,
  list,
  object,
  oneOf,
  open,
  openObject,
  text,
  typed,
  whole,
} from './schema-builder.ts'

export const json = typed<Json>({})

/** Milliseconds since 1970. */
export const moment = described('Milliseconds since 1970.', typed<number>({ type: 'number' }))

/** An error: every answer with a status of 400 or more is `{ "error": Fault }`. */
export const fault = open({ code: text, message: text, 'hint?': text, 'data?': openObject })
export type Fault = TypeOf<typeof fault>

/** Something that a person can do next: a button, and the command it equals. The first of a list is the cure. */
export const nextStep = object({
  action: oneOf(
    'start',
    'stop',
    'restart',
    'login',
    'logout',
    'trust',
    'review',
    'enable',
    'disable',
    'log',
    'answer-input',
    'open-config',
    'call-again',
    'open',
  ),
  /** A verb: `Log in`, `Review`, `Set TOKEN…`. */
  label: text,
  command: text,
  /** For `open` and `review`: an address of the page. */
  'to?': text,
})
export type NextStep = TypeOf<typeof nextStep>

/** What the scanner found in a text of a server. Its texts are escaped. */
export const shownFinding = object({
  rule: text,
  severity: oneOf('critical', 'high', 'medium', 'low', 'info'),
  where: described('The place in the definition or question, as a JSON pointer.', text),
  message: text,
  'evidence?': text,
  remedy: text,
})
export type ShownFinding = TypeOf<typeof shownFinding>

/** A place in a file. `shown` has the home folder as `~` and the line. */
export const place = object({ file: text, shown: text, 'line?': whole, 'column?': whole, 'pointer?': text })
export type ShownPlace = TypeOf<typeof place>

/** A problem of the configuration with its place. */
export const problem = object({
  code: typed<Diagnostic['code']>(text),
  severity: oneOf('error', 'warn', 'info'),
  message: text,
  'hint?': text,
  'server?': text,
  'place?': place,
  /** The section of docs/reference/diagnostics.md. */
  about: text,
  /** The key that was probably meant, which `POST /api/config/fix` writes. */
  'meant?': text,
})
export type Problem = TypeOf<typeof problem>

/** A change of a file, for a person to look at before it is written. Line numbers count from 1. */
export const fileDifference = object({
  file: text,
  shown: text,
  isNew: flag,
  hunks: list(
    object({
      before: whole,
      after: whole,
      lines: list(object({ kind: oneOf('same', 'added', 'removed'), text })),
    }),
  ),
})
export type FileDifference = TypeOf<typeof fileDifference>

/** The body of a change: first `isDryRun`, which shows the differences, then without. */
export const dryRun = { 'isDryRun?': flag } as const

/** The code of the terminal, and the request that it was shown for. */
export const codeFields = {
  /** The id that `POST /api/codes` returned. */
  request: text,
  /** What the person typed. */
  code: text,
} as const
