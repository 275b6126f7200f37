import type { Block } from '../../model/result.ts'
import { field, placeholder, renderBlock, resourceOf } from './blocks.ts'
import { createRender } from './render.ts'

/** Dispatch: a resource is its text or `[resource: <uri>]` (D20), and nothing is nothing. */
export const renderDispatch = createRender({ block: renderDispatchBlock, empty: '' })

function renderDispatchBlock(block: Block): string {
  if (block.type !== 'resource') return renderBlock(block)
  const { text, uri } = resourceOf(block)
  return typeof text === 'string' ? text : placeholder('resource', [field(uri)])
}
