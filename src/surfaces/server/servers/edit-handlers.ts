import { addDeclaration, describeEntry, removeDeclaration, switchDeclaration } from '../../../config.ts'
import type { EditOptions, EditResult } from '../../../config.ts'
import type { JsonObject, Server } from '../../../index.ts'
import { redactWords } from '../../../internal.ts'
import type { RouteAnswer, RouteInput } from '../../api/api.ts'
import { describeChanges } from '../../facts/file-difference.ts'
import { serverCommand } from '../../facts/server-command.ts'
import { quote } from '../../terminal/argv.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Handlers } from '../handler.ts'
import type { ServeContext } from '../serve-context.ts'
import { applyChanges } from './apply-changes.ts'
import { boundPart } from '../code-subjects.ts'
import type { CodeSubject } from '../code-subjects.ts'
import { shortener } from './shown-paths.ts'

/** Changes of declarations. Each is shown first with `isDryRun`, and written by the same code. */
export const editHandlers = {
  'PUT /api/servers/:server/enabled': (context, { params, body }) =>
    edit(context, body, (options) => switchDeclaration(params.server, body.enabled, options)),

  'DELETE /api/servers/:server': (context, { params, body }) =>
    edit(context, body, (options) => removeDeclaration(params.server, options)),

  'POST /api/servers': async (context, { body }) => {
    const { name, scope } = body
    const entry = await readEntry(body)
    if (!body.isDryRun && needsCode(body))
      context.codes.use({
        request: body.request,
        code: body.code,
        about: { for: 'add', subject: name, about: boundPart(body) } satisfies CodeSubject,
        command: addCommand(body),
      })
    const server = await describeEntry(name, entry, { ...editOptions(context), scope })
    return edit(context, body, (options) => addDeclaration(server, { ...options, scope }))
  },
} satisfies Partial<Handlers>

type Changed = RouteAnswer<'POST /api/servers'>
export type NewServerBody = RouteInput<'POST /api/servers'>['body']

function editOptions({ discover, cwd }: ServeContext): EditOptions {
  return { ...discover, cwd }
}

/** Runs an edit without writing, for its differences, and then, unless that was all, with writing. */
async function edit(
  context: ServeContext,
  { isDryRun = false }: { readonly isDryRun?: boolean },
  work: (options: EditOptions) => Promise<EditResult>,
): Promise<Changed> {
  const planned = await work({ ...editOptions(context), dryRun: true })
  const done = isDryRun ? planned : await work(editOptions(context))
  if (!isDryRun) await applyChanges(context.host)
  return {
    differences: describeChanges(planned.changes, shortener(context)),
    isWritten: !isDryRun && done.changed,
    notes: done.lost.map(({ field, reason }) => escapeLine(redactWords(`${field}: ${reason}`))),
  }
}

/** The entry that the command line would write for the same words, checked in the same way. */
async function readEntry(body: NewServerBody): Promise<JsonObject> {
  const { parseAddition } = await import('../../cli/commands/servers/add-arguments.ts')
  const { usage } = await import('../../cli/errors.ts')
  const { name, command, args = [], env, url, headers } = body
  const words = command === undefined ? [name] : [name, '--', command, ...args]
  const addition = parseAddition(url === undefined ? {} : { url }, words)
  if (addition.kind !== 'entry') throw usage('Say what to add: a command or an address.')
  if (env && command === undefined) throw usage('Variables need a command.')
  if (headers && url === undefined) throw usage('Headers need an address.')
  return { ...addition.entry, ...(env && { env }), ...(headers && { headers }) }
}

interface PlannedServer {
  /** Where it would be written. */
  readonly file: string
  readonly server: Server
}

/** The server that an addition would make, with all texts as they were sent: a mask could hide code (T10). */
export async function planAddition(context: ServeContext, body: NewServerBody): Promise<PlannedServer> {
  const { name, scope } = body
  const entry = await readEntry(body)
  const options = { ...editOptions(context), scope, dryRun: true }
  const { file } = await addDeclaration(await describeEntry(name, entry, options), options)
  const authority = 'project' as const
  const origin = { source: 'plugboard', scope, authority, file, pointer: '', line: 1, column: 1 }
  const { command, args = [], env = {}, url = '', headers = {} } = body
  return {
    file,
    server: {
      id: name,
      name,
      entryHash: '',
      transport:
        command === undefined
          ? { kind: 'http', url, headers }
          : { kind: 'stdio', command, args, env, framing: 'auto', inheritEnv: false },
      protocol: 'auto',
      origin,
      enabled: true,
      timeouts: {},
      tools: { allow: null, deny: [] },
      declared: [{ origin, entry, placeOf: () => origin }],
      extra: {},
    },
  }
}

/**
 * Whether an entry lets a program run, or sends something of this machine elsewhere: a command, a file, the keychain or a
 * variable. A page may add only an address with texts that it already knows (T37).
 */
function needsCode({ command, url = '', headers = {} }: NewServerBody): boolean {
  if (command !== undefined) return true
  return [url, ...Object.values(headers)].some((text) => /^\s*!|[$`]|\{\w+:/.test(text))
}

export function addCommand({ name, command, args = [], url }: NewServerBody): string {
  if (url !== undefined) return `${serverCommand('add', name)} --url ${quote(url)}`
  return `${serverCommand('add', name)} -- ${[command ?? '', ...args].map((word) => quote(word)).join(' ')}`
}
