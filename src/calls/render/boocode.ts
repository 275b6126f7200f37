import type { Block } from '../../model/result.ts'
import { renderBlock } from './blocks.ts'
import { toJsonText } from './json-text.ts'
import { createRender } from './render.ts'

/** BooCode: texts joined by line ends (P13), resources as JSON (P14), `(no output)` for nothing (P15). */
export const renderBoocode = createRender({ block: renderBoocodeBlock, empty: '(no output)' })

function renderBoocodeBlock(block: Block): string {
  return block.type === 'resource' ? toJsonText(block) : renderBlock(block)
}
