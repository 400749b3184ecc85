declare module 'elkjs/lib/elk-worker.min.js?url' {
  const address: string
  // biome-ignore lint/style/noDefaultExport: how the bundler gives the address of a file
  export default address
}
