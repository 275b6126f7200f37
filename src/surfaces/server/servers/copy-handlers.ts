import { exportServers, importServers, surveySources, writeChanges } from '../../../config.ts'
import type { Transfer, TransferOptions } from '../../../config.ts'
import { redactWords } from '../../../internal.ts'
import type { RouteAnswer, RouteInput } from '../../api/api.ts'
import { describeChanges } from '../../facts/file-difference.ts'
import { quote } from '../../terminal/argv.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { markBlanks } from '../../terminal/marked-blanks.ts'
import { boundPart } from '../code-subjects.ts'
import type { CodeSubject } from '../code-subjects.ts'
import type { Handlers } from '../handler.ts'
import type { ServeContext } from '../serve-context.ts'
import { applyChanges } from './apply-changes.ts'
import { shortener } from './shown-paths.ts'

/** Copies between the files of clients. What is copied can run there, so writing needs the code of the terminal (T37). */
export const copyHandlers = {
  'POST /api/sources/:source/import': (context, { params, body }) =>
    copy(context, body, { for: 'import', subject: params.source }),
  'POST /api/sources/:source/export': (context, { params, body }) =>
    copy(context, body, { for: 'export', subject: params.source }),
} satisfies Partial<Handlers>

export type CopyBody = RouteInput<'POST /api/sources/:source/import'>['body']
type Copied = RouteAnswer<'POST /api/sources/:source/import'>
type Direction = Pick<CodeSubject, 'subject'> & { readonly for: 'import' | 'export' }

async function copy(context: ServeContext, body: CopyBody, direction: Direction): Promise<Copied> {
  const { isDryRun = false, request, code } = body
  if (!isDryRun)
    context.codes.use({
      request,
      code,
      about: { ...direction, about: boundPart(body) } satisfies CodeSubject,
      command: copyCommand(body, direction),
    })
  const plan = await planCopy(context, body, direction)
  const isWritten = !isDryRun && plan.copied.length > 0
  if (isWritten) {
    await writeChanges(plan.changes, copyOptions(context, body))
    await applyChanges(context.host)
  }
  const { copied, renamed = [], skipped, lost, changes } = plan
  const shown = (text: string): string => escapeLine(redactWords(text))
  return {
    copied: copied.map(shown),
    renamed: renamed.map(({ name, as }) => ({ name: shown(name), as: shown(as) })),
    skipped: skipped.map(({ name, reason }) => ({ name: shown(name), reason: shown(reason) })),
    differences: describeChanges(changes, shortener(context)),
    isWritten,
    notes: lost.map(({ field, reason }) => shown(`${field}: ${reason}`)),
  }
}

function planCopy(
  context: ServeContext,
  body: CopyBody,
  { for: action, subject }: Direction,
): Promise<Transfer> {
  const options = { ...copyOptions(context, body), dryRun: true }
  return action === 'import' ? importServers(subject, options) : exportServers(subject, options)
}

/** Servers of a project that are not trusted stay out: only a person who saw them may copy them. */
function copyOptions(
  { discover, cwd }: ServeContext,
  { only = [], scope, isReplacing }: CopyBody,
): TransferOptions {
  return {
    ...discover,
    cwd,
    ...(only.length > 0 && { only }),
    ...(scope && { scope }),
    ...(isReplacing && { force: true }),
  }
}

function copyCommand(
  { only = [], scope, isReplacing }: CopyBody,
  { for: action, subject }: Direction,
): string {
  return [
    `plugboard ${action} ${quote(subject)}`,
    ...only.map((name) => `--only ${quote(name)}`),
    ...(scope ? [`--scope ${scope}`] : []),
    ...(isReplacing ? ['--force'] : []),
  ].join(' ')
}

/** What the terminal prints with a code for a copy: every server with what it would run, as the written file says it. */
export async function describeCopy(context: ServeContext, direction: Direction, body: CopyBody) {
  const plan = await planCopy(context, body, direction)
  const survey = await surveySources({ ...context.discover, cwd: context.cwd })
  const title = survey.find(({ id }) => id === direction.subject)?.title ?? direction.subject
  const shorten = shortener(context)
  const into = escapeLine(shorten(plan.file))
  const what =
    direction.for === 'import' ? `servers of ${title} into ${into}` : `servers into ${into} of ${title}`
  return {
    lines: [
      `The page asks to copy ${what}:`,
      ...describeChanges(plan.changes, shorten).flatMap(({ hunks }) =>
        hunks.flatMap(({ lines }) =>
          lines
            .filter(({ kind }) => kind !== 'same')
            .map(({ kind, text }) => `  ${kind === 'added' ? '+' : '-'} ${markBlanks(escapeLine(text))}`),
        ),
      ),
    ],
    summary: `to copy ${what}: ${plan.copied.map((name) => escapeLine(name)).join(', ')}`,
    command: copyCommand(body, direction),
  }
}
