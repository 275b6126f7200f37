import { addDeclaration, describeEntry, readOffers } from '../../../config.ts'
import type { Answers, NewServer, Offer } from '../../../config.ts'
import { HostError } from '../../../index.ts'
import { parseAddition } from '../add-arguments.ts'
import type { AddArguments } from '../add-arguments.ts'
import { isInteractive, leave, outputOf } from '../context.ts'
import type { Cli } from '../context.ts'
import { endpointOf } from '../draw.ts'
import { answerInputs } from '../inputs.ts'
import { editOptions, report } from './edit.ts'
import type { EditFlags } from './edit.ts'

export interface AddFlags extends EditFlags, AddArguments {
  readonly force?: boolean
  readonly input?: readonly string[]
  readonly choice?: string
}

/** Declares a server: from the command line, from a file, or by asking. */
export async function add(cli: Cli, flags: AddFlags, ...words: string[]): Promise<void> {
  const output = outputOf(cli, flags)
  const server = await describe(cli, flags, words)
  if (!server) {
    leave(cli, 'cancelled')
    output.note('Nothing was added.')
    return output.flush()
  }
  const options = { ...editOptions(flags), ...(flags.force && { force: true }) }
  const edited = await addDeclaration(server, options)
  report(output, { name: server.name, action: 'added' }, edited, flags)
  if (options.scope === 'project' && !flags.dryRun)
    output.note(`It waits for trust. Run: plugboard trust ${server.name}`)
  return output.flush()
}

async function describe(cli: Cli, flags: AddFlags, words: readonly string[]): Promise<NewServer | undefined> {
  const addition = parseAddition(flags, words)
  if (addition.kind === 'entry') return describeEntry(addition.name, addition.entry, editOptions(flags))
  if (addition.kind === 'from') return fromFile(cli, flags, addition.file, addition.name)
  if (!isInteractive(cli)) {
    const message = "Say what to add: --url URL, -- command args…, --json '{…}' or --from FILE."
    throw new HostError('usage', {}, message, { hint: 'In a terminal, plugboard add asks for it.' })
  }
  const { askForServer } = await import('../wizard.ts')
  return askForServer(cli, flags, addition.name)
}

async function fromFile(
  cli: Cli,
  flags: AddFlags,
  file: string,
  name?: string,
): Promise<NewServer | undefined> {
  const stdin = file === '-' ? { stdin: await readAll(cli.process.stdin) } : {}
  const offers = await readOffers(file, {
    ...editOptions(flags),
    ...stdin,
    ...(name !== undefined && { name }),
  })
  const offer = await choose(cli, flags, offers)
  const answers: Answers | undefined = offer && (await answerInputs(cli, offer.inputs, flags.input ?? []))
  if (!offer || !answers) return undefined
  const described = await offer.describe(answers)
  return name === undefined ? described : { ...described, name }
}

async function choose(cli: Cli, flags: AddFlags, offers: readonly Offer[]): Promise<Offer | undefined> {
  if (offers.length === 1) return offers[0]
  if (flags.choice !== undefined) {
    const chosen =
      offers[Number(flags.choice) - 1] ?? offers.find(({ server }) => server.name === flags.choice)
    if (chosen) return chosen
  } else if (isInteractive(cli)) {
    const { chooseOffer } = await import('../wizard.ts')
    return chooseOffer(cli, offers)
  }
  const list = offers.map(({ server }, index) => `${index + 1}: ${server.name} (${endpointOf(server)})`)
  throw new HostError('usage', {}, `There are several to choose from:\n${list.join('\n')}`, {
    hint: 'Name one: --choice 1',
  })
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += String(chunk)
  return text
}
