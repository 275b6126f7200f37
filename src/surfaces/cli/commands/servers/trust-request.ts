import type { TrustRequest } from '../../../../config.ts'
import { describeTrust } from '../../../facts/trust-facts.ts'
import type { TrustFacts } from '../../../api/server-routes.ts'
import { layoutQuoted } from '../../../terminal/argv.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'

/** Draws everything to review before trusting a server. */
export function drawRequest(request: TrustRequest, canvas: Canvas): string {
  const { style } = canvas
  const facts = describeTrust(request, canvas.path)
  return [
    `${style.bold(facts.server)} is declared by this project in ${facts.declared.shown}.`,
    '',
    ...drawCommand(facts, canvas),
    ...facts.lines.map(({ text, isWarning }) => (isWarning ? style.yellow(text) : text)),
    ...drawEntries(facts),
    ...drawChanges(facts),
    '',
    `hash ${facts.hash}`,
  ].join('\n')
}

function drawCommand({ command, url }: TrustFacts, canvas: Canvas): readonly string[] {
  if (!command) return []
  const title = url === undefined ? 'It would run:' : 'It would run first:'
  return [title, layoutQuoted(command, canvas)]
}

function drawEntries({ entries }: TrustFacts): readonly string[] {
  return entries.flatMap(({ declared, lines }) => {
    const place = entries.length > 1 ? ` in ${declared.shown}` : ''
    return ['', `The whole entry${place}:`, ...lines.map((line) => `  ${line}`)]
  })
}

function drawChanges({ trustedAt, changes, changeNotes }: TrustFacts): readonly string[] {
  return [
    ...(trustedAt === undefined ? [] : ['', `You trusted an earlier version on ${trustedAt}. What changed:`]),
    ...changeNotes.map((note) => `  ${note}`),
    ...changes.map(({ pointer, before, after }) => `  ${pointer}: ${before ?? absent} → ${after ?? absent}`),
  ]
}

const absent = '(absent)'

export function requestToJson(request: TrustRequest): Record<string, unknown> {
  const { server, hash, state, shown, variables, commands, files, envFile, changes } = request
  const inputs = server.inputs && { inputs: server.inputs }
  return {
    name: server.name,
    trust: state,
    hash,
    shown,
    variables,
    commands,
    files,
    ...(envFile && { envFile }),
    ...inputs,
    changes,
  }
}
