/* How collisions are found: a broad phase lists pairs, a narrow phase tests them; and what is exact beside it. */

#include "gallery.h"

u8 gFound[kMostObjects], gExact[kMostObjects];

enum {
    kParts = 3, /* circles of a compound shape */
    kSectorColumns = 11,
    kSectorRows = 9,
    kLog2Sector = 6,
    kSectorSide = 1 << kLog2Sector,
    kMostBlocks = (kScreenWidth / 16 + 1) * (kScreenHeight / 16 + 1),
    kMostHandlers = 9 * kMostObjects, /* boxes of up to 31 pixels in blocks of 16 */
    kMostPairs = kMostObjects * (kMostObjects - 1) / 2,
    kNone = -1,
    kReach = 30 * kPixel, /* between the middles of two objects that collide, at most */
    kThickness = 8        /* of objects in three axes, pixels */
};

static struct shape gBoxes[kMostObjects], gCircles[kMostObjects], gParts[kMostObjects][kParts];
static struct compound gCompounds[kMostObjects];
static struct sphere gSpheres[kMostObjects];
static struct handler *gHeads[kMostBlocks], gHandlers[kMostHandlers];
static u32 gChecks[kMostBlocks];
static struct found gPairs[kMostPairs];
static s16 gFirst[kSectorColumns * kSectorRows], gNext[kMostObjects];

/* The box of a rectangle, pixels. */
static void FindBox(const struct rectangle *rectangle, struct shape *box)
{
    struct point corners[4];
    s32 left, right, top, bottom, k;

    FindCorners(rectangle, corners);
    left = right = corners[0].x;
    top = bottom = corners[0].y;
    for (k = 1; k < 4; k++) {
        if (corners[k].x < left)
            left = corners[k].x;
        if (corners[k].x > right)
            right = corners[k].x;
        if (corners[k].y < top)
            top = corners[k].y;
        if (corners[k].y > bottom)
            bottom = corners[k].y;
    }
    box->x = left >> 5;
    box->y = top >> 5;
    box->wide = (right >> 5) - box->x;
    box->high = (bottom >> 5) - box->y;
}

static void MakeCircle(struct shape *circle, s32 x, s32 y, s32 radius)
{
    circle->x = x - radius;
    circle->y = y - radius;
    circle->wide = circle->high = 2 * radius;
    circle->is_circle = 1;
}

/* Three circles along an object, as wide as it is high. */
static void MakeCompound(s32 number)
{
    const struct rectangle *from = &gRectangles[number];
    s32 along = from->half_wide - from->half_high, k;

    for (k = 0; k < kParts; k++) {
        s32 way = (k - 1) * along;

        MakeCircle(&gParts[number][k], RotatedX(way, 0, Cosine(from->angle), Sine(from->angle)) >> 5,
                   RotatedY(way, 0, Cosine(from->angle), Sine(from->angle)) >> 5, from->half_high >> 5);
    }
    gCompounds[number].x = from->x >> 5;
    gCompounds[number].y = from->y >> 5;
    gCompounds[number].parts = gParts[number];
    gCompounds[number].count = kParts;
}

/* Make the shapes that the narrow phase tests; boxes, which broad phases need, in any case. */
static void MakeShapes(void)
{
    s32 i;

    for (i = 0; i < gNumObjects; i++) {
        const struct rectangle *each = &gRectangles[i];

        FindBox(each, &gBoxes[i]);
        if (gGallery.method == kCircles)
            MakeCircle(&gCircles[i], each->x >> 5, each->y >> 5, RadiusOf(i));
        else if (gGallery.method == kCompound)
            MakeCompound(i);
        else if (gGallery.method == kSpheres) {
            gSpheres[i].x = each->x >> 5;
            gSpheres[i].y = each->y >> 5;
            gSpheres[i].z = gMotion[i].z;
            gSpheres[i].radius = RadiusOf(i);
        }
    }
}

/* Whether the narrow phase takes two objects to collide. */
SEPARATE s32 TestPair(s32 a, s32 b)
{
    switch (gGallery.method) {
    case kBoxes:
        return ShapesTouch(&gBoxes[a], &gBoxes[b]);
    case kCircles:
        return ShapesTouch(&gCircles[a], &gCircles[b]);
    case kCompound:
        return CompoundsTouch(&gCompounds[a], &gCompounds[b]);
    case kSpheres:
        return SpheresMeet(&gSpheres[a], &gSpheres[b]);
    case kPoints1:
        return PointOne(&gRectangles[a], &gRectangles[b]);
    case kPoints2:
        return PointTwo(&gRectangles[a], &gRectangles[b]);
    default:
        return LineOne(&gRectangles[a], &gRectangles[b]);
    }
}

static void JudgePair(s32 a, s32 b)
{
    gGallery.tests++;
    if (TestPair(a, b))
        gFound[a] = gFound[b] = 1;
}

static void CheckAllPairs(void)
{
    s32 a, b;

    for (a = 0; a < gNumObjects; a++)
        for (b = a + 1; b < gNumObjects; b++)
            JudgePair(a, b);
    gGallery.checks = gGallery.tests;
}

/* Moertel 1994: every object into the sector of its box's corner, with the grid shifted. */
SEPARATE void UpdateSectors(s32 xoff, s32 yoff)
{
    s32 i;

    for (i = 0; i < kSectorColumns * kSectorRows; i++)
        gFirst[i] = kNone;
    for (i = 0; i < gNumObjects; i++) {
        s32 column = (gBoxes[i].x + xoff) >> kLog2Sector, row = (gBoxes[i].y + yoff) >> kLog2Sector;
        s16 *first = &gFirst[Product(column, kSectorRows) + row];

        gNext[i] = *first;
        *first = i;
    }
}

SEPARATE void CalcCollisionsInSector(s32 first)
{
    s32 second;

    for (; first != kNone; first = gNext[first])
        for (second = gNext[first]; second != kNone; second = gNext[second]) {
            if (first < second)
                JudgePair(first, second);
            else
                JudgePair(second, first);
        }
}

static void CheckSectors(void)
{
    s32 pass, i;

    for (pass = 0; pass < 4; pass++) {
        UpdateSectors(pass & 2 ? kSectorSide / 2 : 0, pass & 1 ? kSectorSide / 2 : 0);
        for (i = 0; i < kSectorColumns * kSectorRows; i++)
            CalcCollisionsInSector(gFirst[i]);
    }
    gGallery.checks = gGallery.tests;
}

/* Rekaby 2011: a handler for every object in each block that it reaches into. */
static void CheckInBlocks(s32 log2_block)
{
    struct plane plane = {gBoxes, gNumObjects, log2_block, gHeads, gHandlers, gChecks, gPairs, kMostPairs,
                          (kScreenWidth >> log2_block) + 1, (kScreenHeight >> log2_block) + 1, 0, 0};
    s32 blocks = Product(plane.columns, plane.rows), i;

    PlaceHandlers(&plane);
    CheckBlocks(&plane);
    gGallery.handlers = plane.used;
    for (i = 0; i < blocks; i++)
        gGallery.checks += gChecks[i];
    for (i = 0; i < plane.total; i++)
        JudgePair(gPairs[i].a, gPairs[i].b);
}

/* By the colours on the screen: an object collides if something is where it is to be drawn. */
static void CheckByBitmap(void)
{
    s32 i;

    EraseObjects();
    for (i = 0; i < gNumObjects; i++) {
        gGallery.tests++;
        gFound[i] = LookUnder(i);
        Paint(i, kColour_s);
    }
    gGallery.checks = gGallery.tests;
}

SEPARATE void DetermineCollisions(void)
{
    s32 i;

    for (i = 0; i < gNumObjects; i++)
        gFound[i] = 0;
    gGallery.handlers = gGallery.checks = gGallery.tests = 0;
    if (gGallery.method == kBitmap) {
        CheckByBitmap();
        return;
    }
    MakeShapes();
    if (gGallery.broad == kAllPairs)
        CheckAllPairs();
    else if (gGallery.broad == kSectors)
        CheckSectors();
    else
        CheckInBlocks(gGallery.broad - kBlocks16 + 4);
}

static s32 Magnitude(s32 value)
{
    return value < 0 ? -value : value;
}

/* Whether a side of one rectangle separates it from the other one, (dx, dy) away; 14 more binary places. Angles are
   subtracted before a sine is looked up, so it is off by what the table rounds: less than 1/16 of 1/32 pixel. */
static s32 IsSeparated(const struct rectangle *one, const struct rectangle *other, s32 dx, s32 dy)
{
    s32 c = Cosine(one->angle), s = Sine(one->angle);
    s32 dot = Magnitude(Cosine(one->angle - other->angle)), cross = Magnitude(Sine(one->angle - other->angle));

    return Magnitude(Product(dx, c) + Product(dy, s))
            > ((s32)one->half_wide << kFractionBits) + Product(other->half_wide, dot) + Product(other->half_high, cross)
        || Magnitude(Product(dy, c) - Product(dx, s))
            > ((s32)one->half_high << kFractionBits) + Product(other->half_wide, cross) + Product(other->half_high, dot);
}

/* Whether two rectangles have a point in common; as solids, if the method has three axes. */
static s32 Collide(s32 a, s32 b)
{
    const struct rectangle *one = &gRectangles[a], *other = &gRectangles[b];
    s32 dx = one->x - other->x, dy = one->y - other->y;

    if (dx > kReach || dx < -kReach || dy > kReach || dy < -kReach)
        return 0;
    if (gGallery.method == kSpheres && Magnitude(gMotion[a].z - gMotion[b].z) > kThickness)
        return 0;
    return !IsSeparated(one, other, dx, dy) && !IsSeparated(other, one, dx, dy);
}

/* What is exact, and how the method compares with it. By colours, only the later one of two objects is found. */
void DetermineExact(void)
{
    s32 a, b;

    gGallery.hits = gGallery.exact = gGallery.wrong = gGallery.missed = 0;
    for (a = 0; a < gNumObjects; a++)
        gExact[a] = 0;
    for (a = 0; a < gNumObjects; a++)
        for (b = a + 1; b < gNumObjects; b++)
            if (Collide(a, b)) {
                gExact[b] = 1;
                if (gGallery.method != kBitmap)
                    gExact[a] = 1;
            }
    for (a = 0; a < gNumObjects; a++) {
        gGallery.hits += gFound[a];
        gGallery.exact += gExact[a];
        gGallery.wrong += gFound[a] && !gExact[a];
        gGallery.missed += gExact[a] && !gFound[a];
    }
}
