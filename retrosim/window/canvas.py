"""Draws images into rectangles of a window with OpenGL 3.3."""

from __future__ import annotations

import numpy as np

from retrosim.errors import RetrosimError
from retrosim.screen.framebuffer import Rect

HEADLESS = "retrosim run --headless --frames 120 --screenshot shot.png"

_VERTEX = """#version 330 core
out vec2 position;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    position = vec2(corner.x, 1.0 - corner.y);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
"""
_INDEXED = """#version 330 core
uniform usampler2D pixels;
uniform sampler2D palette;
in vec2 position;
out vec4 colour;
void main() {
    ivec2 size = textureSize(pixels, 0);
    uint index = texelFetch(pixels, clamp(ivec2(position * size), ivec2(0), size - 1), 0).r;
    colour = vec4(texelFetch(palette, ivec2(index, 0), 0).rgb, 1.0);
}
"""
_RGBA = """#version 330 core
uniform sampler2D pixels;
in vec2 position;
out vec4 colour;
void main() {
    ivec2 size = textureSize(pixels, 0);
    colour = texelFetch(pixels, clamp(ivec2(position * size), ivec2(0), size - 1), 0);
}
"""


class Canvas:
    """Draws images into rectangles of the window with OpenGL 3.3."""

    def __init__(self) -> None:
        from pyglet import gl
        from pyglet.graphics.shader import Shader, ShaderProgram

        self._gl = gl
        self._programs = {
            kind: ShaderProgram(Shader(_VERTEX, "vertex"), Shader(source, "fragment"))
            for kind, source in (("indexed", _INDEXED), ("rgba", _RGBA))
        }
        self._programs["indexed"]["palette"] = 1
        self._textures: dict[str, int] = {}
        array = gl.GLuint()
        gl.glGenVertexArrays(1, array)
        gl.glBindVertexArray(array)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        self._array = array

    def begin(self, width: int, height: int) -> None:
        """Start drawing in a black window of this size, pixels."""
        gl = self._gl
        self._height = height
        gl.glBindVertexArray(self._array)
        gl.glViewport(0, 0, width, height)
        gl.glClearColor(0.0, 0.0, 0.0, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)

    def _fill(self, name: str, unit: int, pixels: np.ndarray, formats: tuple[int, int]) -> None:
        gl = self._gl
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        if name not in self._textures:
            texture = gl.GLuint()
            gl.glGenTextures(1, texture)
            self._textures[name] = texture.value
            gl.glBindTexture(gl.GL_TEXTURE_2D, texture)
            for setting in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
                gl.glTexParameteri(gl.GL_TEXTURE_2D, setting, gl.GL_NEAREST)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._textures[name])
        pixels = np.ascontiguousarray(pixels)
        height, width = pixels.shape[:2]
        stored, given = formats
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, stored, width, height, 0, given, gl.GL_UNSIGNED_BYTE, pixels.ctypes.data)

    def indexed(self, name: str, pixels: np.ndarray, palette: np.ndarray, rect: Rect) -> None:
        """Draw palette indices, uint8[height, width], with their palette, uint8[256, 3]."""
        gl = self._gl
        self._fill(f"{name} palette", 1, palette[None], (gl.GL_RGB8, gl.GL_RGB))
        self._fill(name, 0, pixels, (gl.GL_R8UI, gl.GL_RED_INTEGER))
        self._paint("indexed", rect)

    def rgba(self, name: str, pixels: np.ndarray, rect: Rect) -> None:
        """Draw an RGBA image, uint8[height, width, 4], over what is there."""
        gl = self._gl
        self._fill(name, 0, pixels, (gl.GL_RGBA8, gl.GL_RGBA))
        gl.glEnable(gl.GL_BLEND)
        self._paint("rgba", rect)
        gl.glDisable(gl.GL_BLEND)

    def _paint(self, kind: str, rect: Rect) -> None:
        left, top, right, bottom = rect
        gl = self._gl
        self._programs[kind].use()
        gl.glViewport(left, self._height - bottom, right - left, bottom - top)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)


def cannot_open(error: Exception) -> RetrosimError:
    """Return what is said when a window or its canvas cannot be opened; pyglet raises many kinds of exceptions."""
    first = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    has_display = type(error).__name__ != "NoSuchDisplayException"
    reason = f"OpenGL 3.3 is not available ({first})" if has_display else "there is no display"
    return RetrosimError(f"cannot open a window: {reason}; to run without one: {HEADLESS}")
