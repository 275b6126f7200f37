import { fromRef, isHostError } from '../../../../index.ts'
import type { Host, Skill, SkillContent, View } from '../../../../index.ts'
import { foundSentence } from '../../../../internal.ts'
import { describeSkill, heldSkillUri } from '../../../facts/skills/skill-facts.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { startOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { count } from '../../output/draw.ts'
import { checkNotTaken, writeTo } from '../../output/save-file.ts'
import { callOptions, checkName, withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { loadOffers, viewOf } from './find-offers.ts'
import type { OfferFlags, ViewFlags } from './find-offers.ts'
import { showOffers } from './offer-list.ts'
import { missingServers, warnMissing } from './offer-problems.ts'

export interface SkillFlags extends ViewFlags {
  readonly server?: string
}

export interface SkillReadFlags extends SkillFlags {
  /** A file. */
  readonly output?: string
}

/** Lists the skills that servers offer. Nothing of them is read. */
export function skills(cli: Cli, flags: OfferFlags, server?: string): Promise<void> {
  return showOffers(cli, flags, { kind: skillKind, server })
}

const skillKind = {
  what: 'skills',
  find: (view: View) => view.skills(),
  flat: describeSkill,
  draw,
} as const

function draw(found: readonly Skill[], { style, width }: Canvas): string {
  return renderTable<Skill>(
    [
      { title: 'SKILL', value: ({ ref }) => ref, fit: 'essential', paint: style.bold },
      { title: 'FILES', value: sizeOf, fit: { shrinkTo: 8 } },
      { title: 'DOES', value: ({ description }) => description, fit: { shrinkTo: 16 }, paint: style.dim },
    ],
    found,
    { width, paintTitle: style.dim },
  )
}

function sizeOf({ files, bytes }: Skill): string {
  return files === 'dynamic' ? 'dynamic' : `${count(files.length, 'file')}, ${bytes} bytes`
}

/** Shows whose a skill is and what it consists of, then the text that a model would get. */
export async function showSkill(cli: Cli, flags: SkillFlags, name: string): Promise<void> {
  await withHost(cli, flags, async (context) => {
    const content = await readContent(context, flags, { name })
    const { output } = context
    const { skill, text = '', findings = [] } = content
    output.result({ ...describeSkill(skill), text, ...(findings.length > 0 && { findings }) }, ({ style }) =>
      [
        ...headLines(skill).map(([label, value]) => `${style.dim(label.padEnd(12))}${value}`),
        '',
        text.trimEnd(),
      ].join('\n'),
    )
    warn(context, content)
  })
}

function headLines(skill: Skill): readonly (readonly [string, string])[] {
  const { ref, server, uri, files, hash } = skill
  const listed = files === 'dynamic' ? [] : files
  return [
    ['skill', ref],
    ['server', server],
    ['address', uri],
    [
      'files',
      files === 'dynamic' ? 'dynamic: its server does not list them, so each load is asked' : sizeOf(skill),
    ],
    ...listed.map(({ path, size }) => ['', `${path}  ${size} bytes`] as const),
    ['content', hash],
  ]
}

/** Prints one file of a skill, or saves it. Its size and digest are those of the entry. */
export async function readSkill(cli: Cli, flags: SkillReadFlags, name: string, path?: string): Promise<void> {
  const { output: file } = flags
  if (file !== undefined) checkNotTaken(file, startOf(cli))
  await withHost(cli, flags, async (context) => {
    const content = await readContent(context, flags, { name, ...(path !== undefined && { path }) })
    const { output } = context
    const { uri, text, blob = '', bytes } = content
    const data = text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text)
    if (file === undefined)
      output.result(
        { uri, path: content.path, bytes, ...(text === undefined ? { blob } : { text }) },
        () => text?.replace(/\n$/, '') ?? `(${bytes} bytes that are not text: save them with --output FILE)`,
      )
    else {
      writeTo(file, data, startOf(cli))
      output.result(
        { uri, file, bytes: data.length },
        () => `Saved ${data.length} bytes to ${escapeLine(file)}.`,
      )
    }
    warn(context, content)
  })
}

/** Reads a file. A skill that is held is read too: a person decides about it after reading it. */
async function readContent(
  context: HostContext,
  flags: SkillFlags,
  { name, path }: { readonly name: string; readonly path?: string },
): Promise<SkillContent> {
  const { host, output } = context
  const named = flags.server ?? context.given
  const server = named === undefined ? undefined : await checkName(host, flags, named)
  const view = await viewOf(context, flags)
  const owner = server ?? serverIn(name, host)
  // Connecting first reports why a server that is named cannot be used.
  if (owner !== undefined) await host.connect(owner, { signal: context.signal })
  await loadOffers(context, flags, { view, names: owner === undefined ? undefined : [owner] })
  const options = { ...callOptions(context), ...(path !== undefined && { file: path }) }
  try {
    return await view.readSkill(name, { ...options, ...(server !== undefined && { server }) })
  } catch (error) {
    if (!isHostError(error, 'skill.unknown')) throw error
    const held = heldSkillUri(host, name)
    if (held) return view.readSkill(held.uri, { ...options, server: held.server })
    warnMissing(missingServers(host, flags), output)
    throw error
  }
}

/** The server of `server/name`. */
function serverIn(name: string, host: Host): string | undefined {
  const { server } = fromRef(name) ?? {}
  return host.discovery.servers.some((each) => each.name === server) ? server : undefined
}

function warn({ output }: HostContext, { skill, path, findings = [] }: SkillContent): void {
  if (findings.length > 0) output.warn(foundSentence(`${path} of ${skill.ref}`, findings))
}
