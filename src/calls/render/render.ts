import { removeHidden } from '../../model/hidden.ts'
import type { Json } from '../../model/json.ts'
import type { RenderRules } from '../../model/preset.ts'
import type { Block } from '../../model/result.ts'
import type { Output } from '../tool-output.ts'
import { field, placeholder, renderBlock, resourceOf, toJsonText } from './blocks.ts'
import { renderStructured } from './structured-content.ts'

/** Renders a result as the text for a model. Pure; the blocks are kept beside the text (D-10). */
export type Render = (output: Output) => string

/** Renders the blocks joined by line ends, then structured content that they do not show; or the error of the server. */
export function createRender(rules: RenderRules): Render {
  const { empty, failedPrefix = '', refusedPrefix } = rules
  const block = blockRenders[rules.resource]
  return ({ blocks, structured, failed, rpcError }) => {
    if (rpcError)
      return refusedPrefix === undefined ? renderRpcError(rpcError) : refusedPrefix + rpcError.message
    const only = blocks.length === 1 && structured === undefined ? blocks[0] : undefined
    const text = only ? block(only) : renderAll(blocks, blocks.map(block), structured)
    const shown = text.trim() === '' && empty !== '' ? empty : text
    return failed ? failedPrefix + shown : shown
  }
}

const blockRenders: Readonly<Record<RenderRules['resource'], (block: Block) => string>> = {
  'text-or-details': renderBlock,
  'text-or-uri'(block) {
    if (block.type !== 'resource') return renderBlock(block)
    const { text, uri } = resourceOf(block)
    return typeof text === 'string' ? text : placeholder('resource', [field(uri)])
  },
  json: (block) => (block.type === 'resource' ? toJsonText(block) : renderBlock(block)),
}

function renderAll(blocks: readonly Block[], texts: readonly string[], structured: Json | undefined): string {
  const extra = renderStructured(structured, { blocks, texts })
  return (extra === undefined ? texts : [...texts, extra]).join('\n')
}

function renderRpcError({ code, message, data }: NonNullable<Output['rpcError']>): string {
  const text = `The server refused the call: ${message || 'no reason given'} (${code})`
  return data === undefined || data === null ? text : `${text}\n${field(toJsonText(data))}`
}

/**
 * Removes control characters, direction overrides and invisible characters from a text for a model, and reports that in
 * a last line (T16, T17). Characters that scripts need stay: joiners, direction marks, emoji sequences.
 */
export function neutralize(text: string): string {
  const { text: clean, removed } = removeHidden(text)
  if (removed.length === 0) return clean
  return `${clean}\n[hidden characters were removed: ${removed.join(', ')}]`
}
