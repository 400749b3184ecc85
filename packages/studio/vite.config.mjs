import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const folder = import.meta.dirname

/** Addresses are relative: where the files are served is known only when they are. `vite` alone serves sources beside a server on 4400. */
export default defineConfig({
  configFile: false,
  root: path.join(folder, 'src'),
  base: './',
  plugins: [react()],
  build: {
    outDir: path.join(folder, 'dist'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // Nothing inline: the content security policy allows files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4400' } },
})
