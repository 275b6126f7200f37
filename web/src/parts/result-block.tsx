import { useEffect, useState } from 'preact/hooks'
import type { ResultFacts } from '../../../src/client.ts'
import { cutBlock, fileName, isOpenable, isPicture, isSound } from './result-text.ts'
import { LongText } from './long-text.tsx'
import { saveFile, toBytes } from './save-file.ts'
import { Size } from './amounts.tsx'
import '../style/result.css'

type Block = ResultFacts['blocks'][number]

/** One part of a result: text, picture, sound, a resource or a link to one. */
export function ResultBlock({
  block,
  index,
  name,
  call,
  server,
}: {
  readonly block: Block
  readonly index: number
  readonly name: string
  readonly call: string | undefined
  readonly server: string | undefined
}) {
  if (isPicture(block)) return <Picture block={block} name={name} />
  if (isSound(block)) return <Sound block={block} name={name} />
  const { text, data } = block
  return (
    <>
      {block.uri !== undefined && <ResourceName block={block} server={server} />}
      {block.type === 'more' && <p class="dim result-none">{block.name}, as text:</p>}
      {text !== undefined && <TextBlock block={block} text={text} call={call} index={index} />}
      {text === undefined && (data !== undefined || block.uri === undefined) && (
        <p class="result-file">
          <span>{block.name ?? block.mimeType ?? block.type}</span>
          {block.bytes !== undefined && <Size bytes={block.bytes} />}
          {data === undefined ? (
            <span class="dim">not shown here</span>
          ) : (
            <SaveBytes data={data} name={name} mimeType={block.mimeType} />
          )}
        </p>
      )}
    </>
  )
}

function TextBlock({
  block,
  text,
  call,
  index,
}: {
  readonly block: Block
  readonly text: string
  readonly call: string | undefined
  readonly index: number
}) {
  const cut = cutBlock(block)
  if (!cut.hidden) return <pre class="text">{text}</pre>
  if (call === undefined) return <LongText {...cut} {...(!block.isCut && { whole: text })} />
  return (
    <LongText
      {...cut}
      actions={
        <a class="button is-plain" href={`/calls/${encodeURIComponent(call)}?block=${index}`}>
          Open
        </a>
      }
    />
  )
}

function Picture({ block, name }: { readonly block: Block; readonly name: string }) {
  const url = useObjectUrl(block)
  const [isActual, setActual] = useState(false)
  const [isSmall, setSmall] = useState(false)
  const label = block.name ?? `picture, ${block.mimeType}`
  return (
    <figure class="picture">
      {url && (
        <button
          type="button"
          class={`picture-frame ${isActual ? 'is-actual' : ''} ${isSmall ? 'is-small' : ''}`}
          title={isActual ? 'Fit' : 'Actual size'}
          aria-label={`${label}: ${isActual ? 'fit' : 'actual size'}`}
          onClick={() => setActual(!isActual)}
        >
          <img src={url} alt={label} onLoad={(event) => setSmall(event.currentTarget.naturalWidth < 64)} />
        </button>
      )}
      <figcaption class="result-file">
        <span class="dim">{block.mimeType}</span>
        {block.bytes !== undefined && <Size bytes={block.bytes} />}
        <SaveBytes data={block.data ?? ''} name={name} mimeType={block.mimeType} />
      </figcaption>
    </figure>
  )
}

function Sound({ block, name }: { readonly block: Block; readonly name: string }) {
  const url = useObjectUrl(block)
  return (
    <figure class="picture">
      {url && <audio controls src={url} aria-label={block.name ?? 'sound'} />}
      <figcaption class="result-file">
        <span class="dim">{block.mimeType}</span>
        {block.bytes !== undefined && <Size bytes={block.bytes} />}
        <SaveBytes data={block.data ?? ''} name={name} mimeType={block.mimeType} />
      </figcaption>
    </figure>
  )
}

function ResourceName({ block, server }: { readonly block: Block; readonly server: string | undefined }) {
  const uri = block.uri ?? ''
  const title = block.name ?? uri
  const to = server && `/resources/${encodeURIComponent(server)}?uri=${encodeURIComponent(uri)}`
  return (
    <p class="result-file">
      {to ? <a href={to}>{title}</a> : <span>{title}</span>}
      {title !== uri && <code class="dim">{uri}</code>}
      {block.mimeType && <span class="dim">{block.mimeType}</span>}
      {isOpenable(uri) && (
        <a href={uri} target="_blank" rel="noopener noreferrer" title={uri}>
          open {uri.replace(/^https?:\/\//, '').split('/')[0]}
        </a>
      )}
    </p>
  )
}

function SaveBytes({
  data,
  name,
  mimeType,
}: {
  readonly data: string
  readonly name: string
  readonly mimeType: string | undefined
}) {
  return (
    <button
      type="button"
      class="button is-plain"
      onClick={() => saveFile(fileName(name, mimeType), toBytes(data), mimeType)}
    >
      Save
    </button>
  )
}

/** A blob URL of the bytes; the CSP lets a page load no other pictures. */
function useObjectUrl({ data = '', mimeType = '' }: Block): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([toBytes(data)], { type: mimeType }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [data, mimeType])
  return url
}
