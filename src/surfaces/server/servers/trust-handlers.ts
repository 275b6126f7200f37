import { requestTrust, surveySources, trustServer, untrustServer } from '../../../config.ts'
import type { TrustRequest } from '../../../config.ts'
import { HostError } from '../../../index.ts'
import type { Json } from '../../../index.ts'
import { findServer, hasHash, isObject } from '../../../internal.ts'
import { api } from '../../api/api.ts'
import type { TrustFacts } from '../../api/server-routes.ts'
import { serverCommand } from '../../facts/server-command.ts'
import { describeTrust } from '../../facts/trust-facts.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { markBlanks } from '../../terminal/marked-blanks.ts'
import { checkInput } from '../check-input.ts'
import type { Handlers } from '../handler.ts'
import { RequestFault } from '../request-fault.ts'
import type { ServeContext } from '../serve-context.ts'
import { applyChanges } from './apply-changes.ts'
import type { CodeSubject } from '../code-subjects.ts'
import type { CopyBody } from './copy-handlers.ts'
import type { NewServerBody } from './edit-handlers.ts'
import { rowOf } from './server-rows.ts'
import { shortener } from './shown-paths.ts'

/** T37: a page can look at everything, and trust nothing without the code that the terminal of `serve` shows. */
export const trustHandlers = {
  'GET /api/servers/:server/trust': async (context, { params }) =>
    describeTrust(await requestFor(context, params.server), shortener(context)),

  'POST /api/servers/:server/trust': async (context, { params, body }) => {
    const { server: name } = params
    const request = await requestFor(context, name)
    const about: CodeSubject = { for: 'trust', subject: name, about: body.hash }
    const command = serverCommand('trust', name, `--hash ${request.hash} `)
    context.codes.use({ request: body.request, code: body.code, about, command })
    await trustServer(request, { ...options(context), hash: body.hash })
    await applyChanges(context.host)
    return { server: rowOf(context, name) }
  },

  'DELETE /api/servers/:server/trust': async (context, { params }) => {
    const { server: name } = params
    findServer(context.host.discovery, name)
    const removed = await untrustServer(name, options(context))
    if (removed === 0)
      throw new HostError('server.unknown', { server: name }, `"${name}" was not trusted.`, {
        hint: 'See: plugboard list',
      })
    await applyChanges(context.host)
    return { server: rowOf(context, name) }
  },

  'POST /api/codes': async (context, { body }) => {
    const about: CodeSubject = { for: body.for, subject: body.subject, about: body.about }
    await checkSubject(about)
    const shown = context.codes.show({ about, ...(await describeSubject(context, about)) })
    return { ...shown, where: 'the terminal in which plugboard serve runs' }
  },
} satisfies Partial<Handlers>

function options({ discover, cwd }: ServeContext) {
  return { ...discover, cwd }
}

function requestFor(context: ServeContext, name: string): Promise<TrustRequest> {
  return requestTrust(name, options(context))
}

/** The route that uses the code, by what it is for. */
const bodies = {
  add: api['POST /api/servers'].body,
  source: api['PUT /api/sources/:source'].body,
  import: api['POST /api/sources/:source/import'].body,
  export: api['POST /api/sources/:source/export'].body,
  model: api['POST /api/models/endpoints'].body,
}

/** No code is shown for what its route would refuse. */
async function checkSubject({ for: action, subject, about }: CodeSubject): Promise<void> {
  if (action === 'trust' || action === 'accept') return
  await checkInput(bodies[action], about, 'about')
  if ((action === 'add' || action === 'model') && isObject(about) && about['name'] !== subject)
    throw new RequestFault('http.bad-request', 'The subject is not the name in the body.')
}

export interface ShownSubject {
  readonly lines: readonly string[]
  /** The same in short. */
  readonly summary: string
  /** Does the same in a terminal. */
  readonly command?: string
}

/** What a code would allow, as the terminal prints it: complete, because the page may lie about it. */
async function describeSubject(context: ServeContext, subject: CodeSubject): Promise<ShownSubject> {
  switch (subject.for) {
    case 'trust':
      return describeTrustSubject(context, subject)
    case 'add':
      return describeAddition(context, subject)
    case 'source':
      return describeSource(context, subject)
    case 'import':
    case 'export': {
      const { describeCopy } = await import('./copy-handlers.ts')
      const body = subject.about as unknown as CopyBody // checked by `checkSubject`
      return describeCopy(context, { for: subject.for, subject: subject.subject }, body)
    }
    case 'accept':
      return (await import('../safety/lock-handlers.ts')).describeAcceptance(context, subject)
    case 'model':
      return describeEndpoint(subject)
    default:
      return subject.for satisfies never
  }
}

/** A key that is plain text is a secret; one that names a command, a file or a variable is shown in full. */
function describeEndpoint({ subject, about }: CodeSubject): ShownSubject {
  const fields = isObject(about) ? Object.entries(about) : []
  const textOf = (name: string, value: Json) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return name === 'key' && /^[\w.~+=:-]+$/.test(text) ? `${text.slice(0, 4)}…` : text
  }
  return {
    lines: [
      `The page asks to add the model endpoint "${escapeLine(subject)}":`,
      ...fields.map(([name, value]) => markBlanks(escapeLine(`  ${name}: ${textOf(name, value)}`))),
    ],
    summary: `to add the model endpoint "${escapeLine(subject)}".`,
  }
}

async function describeTrustSubject(
  context: ServeContext,
  { subject, about }: CodeSubject,
): Promise<ShownSubject> {
  const request = await requestFor(context, subject)
  if (typeof about !== 'string' || !hasHash(request, about))
    throw new HostError(
      'trust.refused',
      { server: subject },
      `"${subject}" has changed since it was shown.`,
      {
        hint: 'Look at it again.',
      },
    )
  const facts = describeTrust(request, shortener(context))
  const command = serverCommand('trust', subject, `--hash ${request.hash} `)
  return {
    lines: [`The page asks to trust "${facts.server}".`, ...trustLines(facts)],
    summary: `to trust "${facts.server}": ${endpointOf(facts)}`,
    command,
  }
}

function endpointOf({ command = [], url = '' }: TrustFacts): string {
  return url === '' ? command.join(' ') : url
}

function commandLines({ command, url, lines }: TrustFacts): readonly string[] {
  const title = url === undefined ? 'It would run:' : 'It would run first:'
  return [
    ...(command ? [title, ...command.map((word) => `  ${word}`)] : []),
    ...lines.map(({ text }) => text),
  ]
}

function trustLines(facts: TrustFacts): readonly string[] {
  const { entries, changes, declared, hash } = facts
  return [
    `It is declared in ${declared.shown}.`,
    ...commandLines(facts),
    ...entries.flatMap((entry) => [
      `The whole entry in ${entry.declared.shown}:`,
      ...entry.lines.map((line) => `  ${line}`),
    ]),
    ...changes.map(({ pointer, before, after }) => `changed ${pointer}: ${before ?? '–'} → ${after ?? '–'}`),
    `hash ${hash}`,
  ]
}

/** An entry that the page wants to write, in the words of a request for trust: in the person's own file it is trusted. */
async function describeAddition(
  context: ServeContext,
  { subject, about }: CodeSubject,
): Promise<ShownSubject> {
  const { addCommand, planAddition } = await import('./edit-handlers.ts')
  const body = about as unknown as NewServerBody // checked by `checkSubject`
  const { file, server } = await planAddition(context, body)
  const facts = describeTrust(
    { server, hash: '', state: 'pending', variables: [], commands: [], files: [], changes: [] },
    shortener(context),
  )
  return {
    lines: [
      `The page asks to add the server "${escapeLine(subject)}" to ${escapeLine(shortener(context)(file))}.`,
      ...commandLines(facts),
    ],
    summary: `to add the server "${escapeLine(subject)}": ${endpointOf(facts)}`,
    command: addCommand(body),
  }
}

async function describeSource(context: ServeContext, { subject }: CodeSubject): Promise<ShownSubject> {
  const surveyed = await surveySources(options(context))
  const source = surveyed.find(({ id }) => id === subject)
  if (!source)
    throw new HostError('source.unknown', { source: subject, near: [] }, `There is no source "${subject}".`)
  const shorten = shortener(context)
  return {
    lines: [
      `The page asks to use the servers of ${source.title}:`,
      ...source.servers.map(
        ({ name, origin }) => `  ${escapeLine(name)} (${escapeLine(shorten(origin.file))}:${origin.line})`,
      ),
    ],
    summary: `to use the servers of ${source.title}.`,
    command: `plugboard sources enable ${subject}`,
  }
}
