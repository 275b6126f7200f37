import type { Json } from '../../model/json.ts'
import type { Block } from '../../model/result.ts'
import type { Output } from '../tool-output.ts'
import { field } from './blocks.ts'
import { toJsonText } from './json-text.ts'
import { renderStructured } from './structured-content.ts'

/** A result as the text a model reads. Pure; the blocks stay beside it (D-10). */
export type Render = (output: Output) => string

interface Rules {
  readonly block: (block: Block) => string
  /** Said for a result that holds nothing. */
  readonly empty: string
}

/** Blocks joined by line ends, then what is structured and not yet said; or what the server refused the call with. */
export function createRender({ block, empty }: Rules): Render {
  return ({ blocks, structured, rpcError }) => {
    if (rpcError) return renderRpcError(rpcError)
    const only = blocks.length === 1 && structured === undefined ? blocks[0] : undefined
    const text = only ? block(only) : renderAll(blocks, blocks.map(block), structured)
    return text.trim() === '' && empty !== '' ? empty : text
  }
}

function renderAll(blocks: readonly Block[], texts: readonly string[], structured: Json | undefined): string {
  const extra = renderStructured(structured, { blocks, texts })
  return (extra === undefined ? texts : [...texts, extra]).join('\n')
}

function renderRpcError({ code, message, data }: NonNullable<Output['rpcError']>): string {
  const told = `The server refused the call: ${message || 'it gives no reason'} (${code})`
  return data === undefined || data === null ? told : `${told}\n${field(toJsonText(data))}`
}
