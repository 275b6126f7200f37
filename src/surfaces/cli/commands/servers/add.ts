import { HostError } from '../../../../index.ts'
import { addDeclaration, describeEntry, readOffers, writeChanges } from '../../../../config.ts'
import type { EditOptions, EditResult, NewServer, Offer } from '../../../../config.ts'
import { declaresTrusted, unusualParts } from '../../../../internal.ts'
import type { UnusualPart } from '../../../../internal.ts'
import { hideSecrets } from '../../../facts/hide-secrets.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { isInteractive, outputOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { usage } from '../../errors.ts'
import { parseAddition } from './add-arguments.ts'
import type { AddArguments } from './add-arguments.ts'
import { answerInputs } from './add-inputs.ts'
import { describeChoice, noteInputs } from './add-notes.ts'
import type { OpenInputs } from './add-notes.ts'
import { askToWrite, refuse, refuseYes } from './consent.ts'
import type { Refusal } from './consent.ts'
import { drawChanges, editOptions, report, warnLost } from './edit-report.ts'
import type { EditFlags } from './edit-report.ts'

export interface AddFlags extends EditFlags, AddArguments {
  readonly force?: boolean
  readonly input?: readonly string[]
  readonly choice?: string
  readonly yes?: boolean
}

interface ServerToAdd extends OpenInputs {
  readonly server: NewServer
  /** Whether its name is the file's: one that the target refuses is adapted. */
  readonly isNamedByFile?: boolean
  /** Where it comes from, if its content is not the user's own choice. */
  readonly foreign?: 'this project' | 'the registry'
  /** What decides which code runs, beside a package's name and version. */
  readonly unusual?: readonly UnusualPart[]
  /** Removes what was unpacked for it. */
  readonly discard?: () => Promise<void>
}

/** Declares a server from the command line, from a file, or with a wizard. */
export async function add(cli: Cli, flags: AddFlags, ...words: string[]): Promise<void> {
  const output = outputOf(cli, flags)
  const described = await describeServer(cli, flags, words, output)
  if (described) await declare(cli, flags, described, output)
  else {
    const error = refuse(cli, { code: 'cancelled', message: 'Nothing was added.' }, output)
    if (flags.json) output.result({ error }, () => '')
  }
  return output.flush()
}

async function declare(cli: Cli, flags: AddFlags, described: ServerToAdd, output: Output): Promise<void> {
  const { server } = described
  const options = {
    ...editOptions(cli, flags),
    ...(flags.force && { force: true }),
    ...(described.isNamedByFile && { adaptName: true }),
  }
  const {
    edited,
    error,
    isAsked = false,
  } = await write(cli, flags, described, options, output).catch(async (failure: unknown) => {
    await described.discard?.()
    throw failure
  })
  if (error) await described.discard?.()
  const name = edited.renamed ?? server.name
  if (!error || flags.json) report(output, { name, action: 'added', error, isWarned: isAsked }, edited, flags)
  if (error) return
  if (name !== server.name) output.note(`"${server.name}" is "${name}" there. For another name: --as NAME`)
  noteInputs(server, described, output)
  if (options.scope === 'project' && !flags.dryRun)
    output.note(`It starts once you trust it. Run: ${serverCommand('trust', name)}`)
}

/**
 * T01: in the user's own file, a server from the project or from the registry would be trusted, so it is shown in full and
 * confirmed first.
 */
async function write(
  cli: Cli,
  flags: AddFlags,
  { server, foreign, unusual = [] }: ServerToAdd,
  options: EditOptions,
  output: Output,
): Promise<{ readonly edited: EditResult; readonly error?: Refusal; readonly isAsked?: true }> {
  for (const { text } of unusual) output.warn(`Look closely: ${text}`)
  const isUnusual = unusual.some(({ kind }) => isCovered(kind, foreign))
  const isChecked = (foreign !== undefined || isUnusual) && !flags.dryRun && (!flags.yes || isUnusual)
  if (!isChecked || !(await declaresTrusted(options)))
    return { edited: await addDeclaration(server, options) }
  const isAsked = true
  const edited = await addDeclaration(server, { ...options, dryRun: true })
  if (flags.yes) return { edited, error: refuseYes(cli, output), isAsked }
  const { path, style } = output.notes
  const warning = `"${server.name}" comes from ${foreign ?? 'this text'}; in ${path(edited.file)} it would be trusted:`
  output.show(`${style.yellow('warning: ')}${warning}`)
  output.show(flags.force ? drawEntry(server) : drawChanges(edited.changes, output.notes))
  warnLost(output, edited.lost)
  const error = await askToWrite(cli, { ...edited, initial: false, isUnusual }, output)
  if (error) return { edited, error, isAsked }
  await writeChanges(edited.changes, options)
  return { edited, isAsked }
}

/**
 * T132: whether a person has to see it before it is written. A snippet or bundle that the person chose may name a package
 * by its address, as many READMEs do.
 */
function isCovered(kind: UnusualPart['kind'], foreign: ServerToAdd['foreign']): boolean {
  return kind === 'code' || kind === 'registry' || (kind === 'source' && foreign !== undefined)
}

/** T132: no server of the registry needs a variable of its publisher that loads code. */
function refuseCode({ name }: NewServer, unusual: readonly UnusualPart[]): void {
  const code = unusual.find(({ kind }) => kind === 'code')
  if (!code) return
  throw new HostError(
    'config.invalid',
    { server: name },
    `"${name}" is not added from the registry: its publisher sets ${code.text}.`,
    { hint: 'If you want that, write the entry yourself: plugboard add NAME --json ENTRY' },
  )
}

/** The whole entry: when an entry is replaced, the changed lines alone would not show all of it. */
function drawEntry({ lost: _unwritten, ...server }: NewServer): string {
  return hideSecrets(JSON.stringify(server, undefined, 2))
}

async function describeServer(
  cli: Cli,
  flags: AddFlags,
  words: readonly string[],
  output: Output,
): Promise<ServerToAdd | undefined> {
  const addition = parseAddition(flags, words)
  if (addition.kind === 'entry') {
    return { server: await describeEntry(addition.name, addition.entry, editOptions(cli, flags)) }
  }
  if (addition.kind === 'from') return fromFile(cli, flags, addition, output)
  if (!isInteractive(cli)) {
    const message = "Say what to add: --url URL, -- command args…, --json '{…}' or --from FILE."
    throw usage(message, 'In a terminal, plugboard add opens a wizard.')
  }
  const { askForServer } = await import('./add-wizard.ts')
  const server = await askForServer(cli, flags, addition.name)
  return server && { server }
}

async function fromFile(
  cli: Cli,
  flags: AddFlags,
  { file, name }: { readonly file: string; readonly name?: string },
  output: Output,
): Promise<ServerToAdd | undefined> {
  const text = await textOf(cli, flags, file, output)
  const offers = await readOffers(file, {
    ...editOptions(cli, flags),
    ...(text !== undefined && { stdin: text }),
    ...(name !== undefined && { name }),
  })
  const offer = await choose(cli, flags, offers)
  for (const warning of offer?.warnings ?? []) output.warn(warning)
  const answered = offer && (await answerInputs(cli, offer, flags.input ?? []))
  if (!answered) return undefined
  const { answers, variables, leftOut } = answered
  const described = await offer.describe(answers)
  const server = name === undefined ? described : { ...described, name }
  const unusual = unusualParts(server)
  if (file.startsWith('registry:')) refuseCode(server, unusual)
  return {
    server,
    unusual,
    isNamedByFile: name === undefined,
    variables,
    leftOut,
    discard: () => offer.discard(),
    ...(offer.fromProject && { foreign: 'this project' }),
    ...(file.startsWith('registry:') && { foreign: 'the registry' }),
  }
}

/** The text that is in no file of this machine: standard input, or a server.json of the registry. */
async function textOf(cli: Cli, flags: AddFlags, file: string, output: Output): Promise<string | undefined> {
  if (file === '-') return readAll(cli.process.stdin)
  if (!file.startsWith('registry:')) return undefined
  const { fetchServerJson } = await import('./add-from-registry.ts')
  return fetchServerJson(cli, flags, file, output)
}

async function choose(cli: Cli, flags: AddFlags, offers: readonly Offer[]): Promise<Offer | undefined> {
  if (offers.length === 1) return offers[0]
  if (flags.choice !== undefined) {
    const chosen =
      offers[Number(flags.choice) - 1] ?? offers.find(({ server }) => server.name === flags.choice)
    if (chosen) return chosen
  } else if (isInteractive(cli)) {
    const { chooseOffer } = await import('./add-wizard.ts')
    return chooseOffer(cli, offers)
  }
  const list = offers.map(({ server }, index) => `${index + 1}: ${server.name} (${describeChoice(server)})`)
  throw usage(`There are several servers to choose from:\n${list.join('\n')}`, 'Choose one: --choice 1')
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += String(chunk)
  return text
}
