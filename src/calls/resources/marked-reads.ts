import type { ViewContext } from '../view/view-context.ts'
import type { ResourcePart, View } from '../view/view.ts'
import type { Offers } from './resources-and-prompts.ts'

/**
 * Marks resources and prompts that contain instructions to a model or hidden text, as results of tools are marked: nothing is
 * changed or blocked. The scanner is loaded while the server answers (T16).
 */
export function markReads(
  { readFrom, prompt }: Pick<Offers, 'readFrom' | 'prompt'>,
  { loadTextScan }: Pick<ViewContext, 'loadTextScan'>,
): Pick<View, 'read' | 'prompt'> {
  const read: View['read'] = async (uri, options) => (await readFrom(uri, options)).parts
  if (!loadTextScan) return { read, prompt }
  const load = () => {
    const loading = loadTextScan()
    loading.catch(() => undefined)
    return loading
  }
  return {
    async read(uri, options) {
      const loading = load()
      const { server, parts } = await readFrom(uri, options)
      const texts = parts.map((part) => (part.kind === 'text' ? part.text : ''))
      const found = (await loading).parts('resource', texts, { server, name: uri })
      return parts.map((part, at): ResourcePart => {
        const findings = found[at] ?? []
        return findings.length === 0 ? part : { ...part, findings }
      })
    },
    async prompt(server, name, args, options) {
      const loading = load()
      const filled = await prompt(server, name, args, options)
      const blocks = filled.messages.flatMap((message) => message.blocks)
      const findings = (await loading).parts('prompt', blocks, { server, name }).flat()
      return findings.length === 0 ? filled : { ...filled, findings }
    },
  }
}
