import { presetNames } from '../../../index.ts'
import type { PresetName } from '../../../index.ts'
import { loadPreset, loadPresetPage } from '../../../internal.ts'
import type { Preset, PresetPage } from '../../../internal.ts'
import { renderTable } from '../../terminal/table.ts'
import type { Canvas } from '../../terminal/terminal-output.ts'
import { outputOf } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

type PresetDetails = Pick<Preset, 'name' | 'title' | 'rows'> & PresetPage

/** Prints the rules of each system, with the ids of their requirements. */
export async function presets(cli: Cli, flags: CommonFlags, name?: PresetName): Promise<void> {
  const output = outputOf(cli, flags)
  const details = await Promise.all((name === undefined ? presetNames : [name]).map(loadDetails))
  output.result({ presets: details }, (canvas) =>
    name === undefined ? drawAll(details, canvas) : details.map((one) => drawOne(one, canvas)).join('\n\n'),
  )
  await output.flush()
}

async function loadDetails(name: PresetName): Promise<PresetDetails> {
  const [{ title, rows }, page] = await Promise.all([loadPreset(name), loadPresetPage(name)])
  return { name, title, rows, ...page }
}

function drawAll(details: readonly PresetDetails[], canvas: Canvas): string {
  const { style } = canvas
  const tables = details.map(
    ({ name, title, rows }) => `${style.bold(name)} (${title})\n${drawRules(rows, canvas)}`,
  )
  return [...tables, `Details: plugboard presets NAME`].join('\n\n')
}

function drawOne({ name, title, rows, notes, mappings }: PresetDetails, canvas: Canvas): string {
  const { style, width } = canvas
  const parts = [`${style.bold(name)} (${title})\n${drawRules(rows, canvas)}`]
  if (mappings.length > 0) {
    const columns = [
      { title: 'IN ITS DOCUMENT', value: ({ named }: Mapping) => named, fit: { shrinkTo: 20 } },
      {
        title: 'HERE',
        value: ({ ours, note }: Mapping) => ours ?? `none: ${note ?? ''}`,
        fit: { shrinkTo: 20 },
      },
    ] as const
    parts.push(renderTable<Mapping>(columns, mappings, { width, paintTitle: style.dim }))
  }
  if (notes.length > 0) {
    const columns = [
      { title: 'NOT COVERED', value: ({ id }: Note) => id, fit: 'essential' },
      { title: 'REASON', value: ({ reason }: Note) => reason, fit: { shrinkTo: 20 } },
    ] as const
    parts.push(renderTable<Note>(columns, notes, { width, paintTitle: style.dim }))
  }
  return parts.join('\n\n')
}

type Mapping = PresetPage['mappings'][number]
type Note = PresetPage['notes'][number]
type Row = Preset['rows'][number]

function drawRules(rows: readonly Row[], { style, width }: Canvas): string {
  return renderTable<Row>(
    [
      { title: 'TOPIC', value: ({ topic }) => topic, fit: 'essential' },
      { title: 'RULE', value: ({ rule }) => rule, fit: { shrinkTo: 24 } },
      { title: 'IDS', value: ({ ids }) => ids.join(', '), paint: style.dim },
    ],
    rows,
    { width, paintTitle: style.dim },
  )
}
