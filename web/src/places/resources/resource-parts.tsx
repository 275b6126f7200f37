import { useMemo, useState } from 'preact/hooks'
import type { ResultFacts, RouteAnswer } from '../../../../src/client.ts'
import { Size } from '../../parts/amounts.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FindingList } from '../../parts/finding-list.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { ResultBlock } from '../../parts/result-block.tsx'
import { fileName, treeOf } from '../../parts/result-text.ts'
import { saveFile, toBytes } from '../../parts/save-file.ts'

type Part = RouteAnswer<'GET /api/resource'>['parts'][number]

/** What a resource has: texts, also as a tree where they are JSON, pictures, sounds and files. */
export function ResourceParts({
  parts,
  uri,
  server,
}: {
  readonly parts: readonly Part[]
  readonly uri: string
  readonly server: string
}) {
  if (parts.length === 0) return <p class="dim tool-pane">It has no content.</p>
  return (
    <>
      {parts.map((part, index) => (
        <PartFrame key={index} part={part} isOwn={part.uri === uri} server={server} />
      ))}
    </>
  )
}

function PartFrame({
  part,
  isOwn,
  server,
}: {
  readonly part: Part
  readonly isOwn: boolean
  readonly server: string
}) {
  const block = useMemo(() => toBlock(part, isOwn), [part, isOwn])
  const tree = useMemo(() => treeOf({ isFailed: false, blocks: [block], bytes: 0 }), [block])
  const [isTree, setTree] = useState(false)
  const name = part.uri.split('/').findLast((each) => each !== '') ?? 'resource'
  return (
    <div class="frame resource-part">
      <div class="result-bar">
        {tree !== undefined && (
          <span class="segments" role="group" aria-label="Show as">
            <button type="button" class="segment" aria-pressed={!isTree} onClick={() => setTree(false)}>
              Text
            </button>
            <button type="button" class="segment" aria-pressed={isTree} onClick={() => setTree(true)}>
              Tree
            </button>
          </span>
        )}
        <span class="dim">{part.mimeType}</span>
        <span class="grow" />
        <Size bytes={part.bytes} />
        {part.kind === 'text' && <CopyButton text={part.text} label="Copy the text" />}
        {(part.kind === 'text' || part.kind === 'blob') && (
          <button
            type="button"
            class="button is-plain"
            onClick={() =>
              saveFile(
                fileName(name, part.mimeType),
                part.kind === 'text' ? part.text : toBytes(part.blob),
                part.mimeType,
              )
            }
          >
            Save
          </button>
        )}
      </div>
      <FindingList findings={part.findings} />
      {isTree && tree !== undefined ? (
        <JsonTree value={tree} label={name} />
      ) : (
        <div class="result-blocks">
          {part.kind === 'too-large' && (
            <p class="result-none">
              It is too large to be shown. <code>plugboard read {part.uri}</code>
            </p>
          )}
          {part.kind === 'empty' && <p class="dim result-none">It is empty.</p>}
          {(part.kind === 'text' || part.kind === 'blob') && (
            <ResultBlock block={block} index={0} name={name} call={undefined} server={server} />
          )}
        </div>
      )}
    </div>
  )
}

/** A part as a block of a result, so that both are drawn alike. */
function toBlock(part: Part, isOwn: boolean): ResultFacts['blocks'][number] {
  const shared = {
    type: 'resource',
    bytes: part.bytes,
    ...(part.mimeType !== undefined && { mimeType: part.mimeType }),
    ...(!isOwn && { uri: part.uri }),
  }
  if (part.kind === 'text') return { ...shared, text: part.text, length: part.text.length }
  return part.kind === 'blob' ? { ...shared, data: part.blob } : shared
}
