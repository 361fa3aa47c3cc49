"""Where the numbers that describe the eye, the lights and the things begin in the tables that the routines of pictures read."""

# Parts of what describes the eye and the lights, by where they begin
EYE, RIGHT, UP, BACK, SLOPES, SIZE = 0, 3, 6, 9, 12, 14
LAMP, CORNER, SCALE, FILL, TEXEL, SOFT, STEEP = 16, 25, 28, 31, 34, 35, 36
KEY, AMBIENT, SKY, FLOOR, HEIGHT, REACH = 37, 38, 39, 42, 45, 46
VIEW = 47
# Parts of what describes a thing
TONE, THIN, MARKED, AXES, ORIGIN, SHINE, RIM, METAL, EDGE, OPACITY, SHARP = 0, 3, 4, 5, 14, 17, 18, 19, 20, 23, 24
BODY, SHEET = 25, 26  # opacity of the thing itself; whether it is a sheet, with lines of the colour EDGE
THING = 27
