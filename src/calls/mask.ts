import { maskTexts } from '../model/mask-texts.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { Block } from '../model/result.ts'
import type { Output } from './tool-output.ts'

type RpcError = NonNullable<Output['rpcError']>

/** What a server answers may hold the very secrets it was given: they stay in the host (D-9). */
export function maskOutput(output: Output, mask: Mask): Output {
  const { blocks, structured, rpcError } = output
  return {
    ...output,
    blocks: blocks.map((block) => maskBlock(block, mask)),
    ...(structured !== undefined && { structured: maskTexts(structured, mask) }),
    ...(rpcError && { rpcError: maskError(rpcError, mask) }),
  }
}

const media = new Set(['image', 'audio', 'resource'])

function maskBlock(block: Block, mask: Mask): Block {
  return maskTexts(block, mask, media.has(block.type)) as Block // only texts are other ones
}

function maskError({ code, message, data }: RpcError, mask: Mask): RpcError {
  return { code, message: mask(message), ...(data !== undefined && { data: maskTexts(data, mask) }) }
}
